"""Pictures per second and core, beside MuJoCo's renderer on software OpenGL where it is installed.

    python -m benchmarks.pictures [--seconds 1] [MODEL ...]

Each figure is the best of several calls, in processor time of one thread; MuJoCo's is measured in
the same run with Debian's `libosmesa6`: as it is by default, and light: shadow maps of 1,024, no
multisampling.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SIZES = ((480, 480), (480, 640), (84, 84), (64, 64))
WORLDS = (1, 64, 1024)
MODELS = ("half_cheetah", "ant", "humanoid", "boxes", "meshes")
BOXES = """
<mujoco>
  <worldbody>
    <light pos="0 0 6" dir="0 0 -1" directional="true"/>
    <geom type="plane" size="6 6 1"/>
    {boxes}
  </worldbody>
</mujoco>
"""
# an arm of eight links, 31,000 triangles
MESHES = """
<mujoco>
  <asset>
    <mesh name="link" builtin="supersphere" params="45 .6 .4" scale=".1 .1 .2"/>
  </asset>
  <worldbody>
    <light pos="0 -2 4" dir="0 .4 -1"/>
    <geom type="plane" size="2 2 1"/>
    {links}
  </worldbody>
</mujoco>
"""


def arm() -> str:
    """A chain of links, each a mesh that hangs on a hinge."""
    links = ""
    for k in reversed(range(8)):
        axis = ("1 0 0", "0 1 0")[k % 2]
        place = "0 0 .2" if k == 0 else "0 .08 .3"
        links = (
            f'<body pos="{place}" euler="{12 * k} 15 0"><joint axis="{axis}"/>'
            f'<geom type="mesh" mesh="link" rgba=".9 .{k + 1} .2 1"/>{links}</body>'
        )
    return MESHES.format(links=links)


def document(name: str) -> str:
    """MJCF of a model."""
    if name == "boxes":
        places = [(k % 20 - 9.5, k // 20 - 4.5) for k in range(200)]
        rows = (f'<geom type="box" size=".2 .2 .3" pos="{x} {y} .3"/>' for x, y in places)
        return BOXES.format(boxes="\n".join(rows))
    if name == "meshes":
        return arm()
    from .models import ROOT

    return (ROOT / "xml" / f"{name}.xml").read_text(encoding="utf-8")


def rate(call: Callable[[], Any], pictures: int, seconds: float) -> float:
    """Pictures per second of processor time, the best of the calls that fit into some seconds."""
    call()
    best, end = np.inf, time.monotonic() + seconds
    while time.monotonic() < end or best == np.inf:
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return pictures / best


def ours(xml: str, size: tuple[int, int], nworld: int, seconds: float) -> float:
    """Rate of `render_worlds` in one thread."""
    import mjenv

    model = mjenv.Model.from_xml_string(xml)
    data = mjenv.Data(model, nworld=nworld)
    mjenv.forward(model, data)
    renderer = mjenv.Renderer(model, *size, nthread=1, limited=False)
    out = np.empty((nworld, *size, 3), np.uint8)
    return rate(lambda: renderer.render_worlds(data, out=out), nworld, seconds)


def theirs(xml: str, size: tuple[int, int], light: bool, seconds: float) -> float:
    """Rate of `mujoco.Renderer`."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(xml)
    if light:
        model.vis.quality.shadowsize, model.vis.quality.offsamples = 1024, 0
    model.vis.global_.offwidth = model.vis.global_.offheight = 640
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, *size) as renderer:

        def call() -> None:
            renderer.update_scene(data)
            renderer.render()

        return rate(call, 1, seconds)


def peer(xml: str, size: tuple[int, int], light: bool, seconds: float) -> float:
    """Rate of `mujoco.Renderer`, nan where it cannot draw here."""
    try:
        return theirs(xml, size, light, seconds)
    except (ImportError, OSError, AttributeError, RuntimeError) as error:
        print(f"MuJoCo's renderer: {error}", file=sys.stderr)
        return float("nan")


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.pictures")
    parser.add_argument("models", nargs="*", help=f"of {', '.join(MODELS)}; all by default")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each figure")
    arguments = parser.parse_args(argv)
    os.environ.setdefault("MUJOCO_GL", "osmesa")
    heads = [f"mjenv, {n} world{'s' * (n > 1)}" for n in WORLDS]
    print("| model | size |", " | ".join([*heads, "MuJoCo", "MuJoCo, light"]), "|")
    print("| --- " * (4 + len(WORLDS)) + "|")
    for name in arguments.models or MODELS:
        xml = document(name)
        for size in SIZES:
            worlds = [n for n in WORLDS if n == 1 or size[0] < 100]
            row = [ours(xml, size, n, arguments.seconds) for n in worlds]
            row += [float("nan")] * (len(WORLDS) - len(row))
            row += [peer(xml, size, light, arguments.seconds) for light in (False, True)]
            cells = ("" if np.isnan(x) else f"{x:,.0f}" for x in row)
            print(f"| {name} | {size[1]}x{size[0]} |", " | ".join(cells), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
