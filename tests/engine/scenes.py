"""Random scenes of many geoms, and comparisons of what they collide with."""

import mujoco
import numpy as np

TYPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
CONTACT = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solimp", "mu")
WHOLE = ("dim", "geom", "exclude", "efc_address")
ROWS = ("efc_pos", "efc_margin", "efc_D", "efc_R", "efc_vel", "efc_aref", "efc_b", "efc_J")
SPARSE = ("efc_J_rownnz", "efc_J_rowadr", "efc_J_rowsuper", "efc_J_colind")


def random_scene(
    seed: int, nbody: int = 60, option: str = "", flag: str = "", size: float = 1.0
) -> str:
    """Free, jointed and static bodies with one to four geoms each, planes, pairs, excludes.

    Args:
        seed: of the random numbers.
        nbody: number of bodies.
        option, flag: attributes of <option> and <flag>.
        size: half the edge of the box in which the bodies lie (m).
    """
    rng = np.random.default_rng(seed)
    bodies = []
    for b in range(nbody):
        kind = rng.choice(["free", "free", "free", "slide", "static", "pair"])
        joint = {
            "free": "<freejoint/>",
            "slide": '<joint type="slide" axis="0 0 1"/><joint axis="1 0 0"/>',
            "static": "",
            "pair": "<freejoint/>",
        }[kind]
        inner = ""
        if kind == "pair":
            inner = f"""<body name="inner{b}" pos="0.15 0 0"><joint axis="0 1 0"/>
              {geoms(rng, f"inner{b}", 1)}</body>"""
        bodies.append(
            f"""<body name="b{b}" {place(rng, size)}>{joint}
            {geoms(rng, f"b{b}", rng.integers(1, 5))}{inner}</body>"""
        )
    given = {tuple(sorted(rng.choice(nbody, 2, replace=False))) for _ in range(nbody // 4)}
    apart = {tuple(sorted(rng.choice(nbody, 2, replace=False))) for _ in range(nbody // 2)}
    pairs = [
        f'<pair geom1="b{j}_0" geom2="b{i}_0" condim="{rng.choice([1, 3, 4, 6])}" margin="0.02"/>'
        for i, j in sorted(given)
    ]
    excludes = [f'<exclude body1="b{i}" body2="b{j}"/>' for i, j in sorted(apart)]
    return f"""<mujoco><option {option}><flag {flag}/></option>
      <asset><mesh name="shape" vertex="0 0 .1  .1 0 -.05  -.08 .09 -.04  -.07 -.1 -.06 .02 .05 .1"
      /></asset>
      <worldbody><geom type="plane" name="floor" size="9 9 1" pos="0 0 {-size}"/>
      <geom type="plane" size="9 9 1" pos="{-size} 0 0" euler="0 90 0" condim="1"/>
      <geom name="table" type="box" size="{size} .3 .05" pos="0 0 {-0.6 * size}"/>
      {"".join(bodies)}</worldbody>
      <contact>{"".join(pairs)}{"".join(excludes)}</contact></mujoco>"""


def place(rng, size: float) -> str:
    pos, angles = rng.uniform(-size, size, 3), rng.uniform(0, 360, 3)
    return f'pos="{text(pos)}" euler="{text(angles)}"'


def text(numbers) -> str:
    return " ".join(f"{x:.4f}" for x in numbers)


def geoms(rng, body: str, count: int) -> str:
    """Geoms of all types, with margins, gaps, priorities, bits and dimensions of force."""
    out = []
    for k in range(count):
        kind = rng.choice(TYPES)
        shape = 'mesh="shape"' if kind == "mesh" else f'size="{text(rng.uniform(0.05, 0.15, 3))}"'
        bits = rng.choice(['contype="1"', 'contype="2" conaffinity="3"', 'contype="0"'])
        margin, gap = rng.choice([0, 0.02]), rng.choice([0, 0.01])
        out.append(
            f'<geom name="{body}_{k}" type="{kind}" {shape} {place(rng, 0.1)} {bits} '
            f'margin="{margin}" gap="{gap}" condim="{rng.choice([1, 3, 4, 6])}" '
            f'priority="{rng.choice([0, 0, 1])}"/>'
        )
    return "".join(out)


def random_state(mj, seed: int):
    """MuJoCo's data with bodies moved a little from where they start."""
    rng, source = np.random.default_rng(seed), mujoco.MjData(mj)
    mujoco.mj_integratePos(mj, source.qpos, 0.1 * rng.normal(size=mj.nv), 1.0)
    source.qvel[:] = 0.2 * rng.normal(size=mj.nv)
    return source


def compare_lists(data, world: int, source, atol: float = 1e-6, rows=ROWS) -> int:
    """Contacts and rows of a world and MuJoCo's, in order; returns the number of contacts."""
    n, nefc, nentry = source.ncon, source.nefc, source.nJ
    assert data.ncon[world] == n
    for name in WHOLE:
        found = getattr(data.contact, name)[world, :n]
        assert np.array_equal(found, getattr(source.contact, name)), name
    for name in CONTACT:
        found, expected = getattr(data.contact, name)[world, :n], getattr(source.contact, name)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=atol, err_msg=name)
    assert (data.nefc[world], data.nJ[world]) == (nefc, nentry)
    sparse = SPARSE if mujoco.mj_isSparse(source.model) else ()
    for name in ("efc_type", "efc_id", *sparse, *rows):
        length = nentry if name in ("efc_J", "efc_J_colind") else nefc
        expected = np.ravel(getattr(source, name))[:length]
        found = getattr(data, name)[world, :length]
        scale = 1 + np.abs(expected).max(initial=0)
        np.testing.assert_allclose(found / scale, expected / scale, atol=atol, err_msg=name)
    return n
