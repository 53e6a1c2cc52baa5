"""How each attribute of MJCF is drawn at random.

An attribute is in one of three tables: drawn here, given by the builder of its element (`BUILT`), or left
out for a reason (`LEFT_OUT`). A test compares them with the schema, so that none is forgotten.
"""

from collections.abc import Callable

from mjenv.engine.mjcf.text.schema import kinds
from tests.fuzzing.draw import Draw, text

Value = Callable[[Draw], str | None]


def real(low: float, high: float) -> Value:
    return lambda d: text(d.number(low, high))


def log(low: float, high: float) -> Value:
    return lambda d: text(d.spread(low, high))


def mostly(usual, p: float, other: Value) -> Value:
    """A usual value, or with a probability another one."""
    return lambda d: other(d) if d.chance(p) else usual


def vector(n: int, low: float, high: float) -> Value:
    return lambda d: d.vector(n, low, high)


def upto(n: int, low: float, high: float) -> Value:
    return lambda d: d.vector(d.randint(1, n), low, high)


def interval(low: float, high: float) -> Value:
    return lambda d: d.interval(low, high)


def whole(low: int, high: int) -> Value:
    return lambda d: str(d.randint(low, high))


def one_of(*words: str) -> Value:
    return lambda d: d.among(*words)


def polynomial(low: float, high: float) -> Value:
    """A coefficient, and up to two more of higher orders."""
    return lambda d: text(d.spread(low, high) for _ in range(d.among(1, 1, 1, 2, 3)))


def solref(d: Draw) -> str:
    if d.chance(0.2):
        return text((-d.spread(10, 3000), -d.spread(1, 100)))
    if d.chance(0.1):
        return text(d.spread(0.004, 0.1))
    return text((d.spread(0.004, 0.1), d.spread(0.2, 2)))


def solimp(d: Draw) -> str:
    low = d.number(0, 0.95)
    values = (low, d.number(low, 0.9999), d.spread(1e-4, 0.1), d.number(0.05, 0.95), d.number(1, 4))
    return text(values[: d.among(1, 2, 3, 5, 5)])


def friction(n: int) -> Value:
    def value(d: Draw) -> str:
        slide = lambda: 0.0 if d.chance(0.05) else d.spread(0.1, 2)  # noqa: E731
        roll = lambda: 0.0 if d.chance(0.05) else d.spread(1e-4, 0.1)  # noqa: E731
        values = (slide(), roll(), roll()) if n == 3 else (slide(), slide(), roll(), roll(), roll())
        return text(values[: d.randint(1, n)])

    return value


def color(d: Draw) -> str:
    return d.vector(4, 0, 1)


def delay(d: Draw) -> str:
    return text(d.among(0.0, d.spread(0.001, 0.03)))


def period(d: Draw) -> str:
    length = d.spread(0.001, 0.03)
    return text((length, d.among(0.0, -length * d.uniform(0, 0.9))))


DEFAULT = "by type"  # one of the words, true or false, numbers of the right count

VALUES: dict[str, Value] = {
    # what many elements have
    "group": whole(0, 5), "rgba": color, "priority": mostly("0", 0.5, whole(-1, 2)),
    "solref": solref, "solreflimit": solref, "solreffriction": solref, "o_solref": solref,
    "solimp": solimp, "solimplimit": solimp, "solimpfriction": solimp, "o_solimp": solimp,
    "margin": mostly("0", 0.7, log(0.001, 0.05)), "gap": mostly("0", 0.7, log(0.001, 0.03)),
    "friction": friction(3), "o_friction": friction(5), "contact/pair friction": friction(5),
    "condim": one_of("1", "3", "3", "4", "6"), "user": upto(3, -1, 1),
    "contype": mostly("1", 0.5, whole(0, 3)), "conaffinity": mostly("1", 0.5, whole(0, 3)),
    "solmix": log(0.1, 10), "density": mostly("1000", 0.5, log(10, 5000)), "mass": log(0.01, 10),
    "shellinertia": mostly("false", 0.3, one_of("true")), "fitscale": log(0.5, 2),
    "fluidshape": one_of("ellipsoid", "none"), "fluidcoef": upto(5, 0, 2),
    "gravcomp": mostly("1", 0.5, real(-0.5, 1.5)), "material": None, "textured": None,
    "armature": log(0.001, 1), "damping": polynomial(0.01, 3), "stiffness": polynomial(0.1, 100),
    "frictionloss": log(0.001, 2), "actuatorgravcomp": one_of("true", "false"),
    "actuatorfrcrange": interval(-5, 5), "actuatorfrclimited": mostly("auto", 0.2, one_of("false")),
    "springdamper": lambda d: text((d.spread(0.02, 1), d.spread(0.1, 2))),
    "tendon springlength": lambda d: text(sorted((d.number(0, 1), d.number(0, 1)))[: d.among(1, 2)]),
    "limited": mostly("auto", 0.2, one_of("false")), "ref": real(-0.3, 0.3), "springref": real(-0.5, 0.5),
    # meshes and textures
    "scale": vector(3, 0.5, 1.5), "refpos": vector(3, -0.1, 0.1), "refquat": vector(4, -1, 1),
    "smoothnormal": one_of("true", "false"), "maxhullvert": mostly("-1", 0.5, whole(4, 10)),
    "inertia": one_of("convex", "legacy", "exact", "shell"),
    "colorspace": one_of("auto", "linear", "sRGB"), "rgb1": vector(3, 0, 1), "rgb2": vector(3, 0, 1),
    "mark": one_of("none", "edge", "cross", "random"), "markrgb": vector(3, 0, 1),
    "random": real(0, 0.3), "hflip": one_of("true", "false"), "vflip": one_of("true", "false"),
    "nchannel": one_of("3", "3", "4"), "texrepeat": vector(2, 0.5, 3),
    "texuniform": one_of("true", "false"), "emission": real(0, 1), "specular": real(0, 1),
    "shininess": real(0, 1), "reflectance": real(0, 1), "metallic": real(0, 1), "roughness": real(0, 1),
    # cameras and lights
    "fovy": real(20, 90), "ipd": real(0.01, 0.1), "resolution": one_of("4 3", "2 2", "5 1"),
    "output": one_of("rgb", "depth", "rgb depth", "normal segmentation distance"),
    "projection": one_of("perspective", "orthographic"),
    "bulbradius": real(0, 0.1), "intensity": real(0, 3), "directional": one_of("true", "false"),
    "castshadow": one_of("true", "false"), "attenuation": vector(3, 0, 1),
    "cutoff": mostly("45", 0.5, real(10, 80)), "exponent": real(0, 20), "ambient": vector(3, 0, 1),
    "diffuse": vector(3, 0, 1), "body/light specular": vector(3, 0, 1), "body/light range": log(1, 20),
    "body/light active": one_of("true", "false"), "body/light dir": lambda d: d.direction(),
    "body/light type": one_of("spot", "point"), "visual specular": vector(3, 0, 1), "visual active": whole(0, 1),
    # joints, tendons, equalities
    "active": mostly("true", 0.3, one_of("false")), "width": log(0.001, 0.01), "torquescale": log(0.1, 10),
    "polycoef": upto(5, -0.5, 0.5), "equality/weld anchor": vector(3, -0.2, 0.2),
    "body/freejoint align": one_of("true", "false", "auto"),
    # actuators
    "ctrllimited": mostly("auto", 0.3, one_of("false")), "ctrlrange": interval(-1.5, 1.5),
    "forcelimited": mostly("auto", 0.3, one_of("false")), "forcerange": interval(-10, 10),
    "actlimited": mostly("auto", 0.3, one_of("false")), "actrange": interval(-1, 1),
    "actuator/adhesion ctrlrange": interval(0, 2), "actuator/damper ctrlrange": interval(0, 2),
    "gear": lambda d: d.vector(d.among(1, 1, 3, 6), -3, 3), "lengthrange": interval(0.1, 2),
    "actuator/muscle gear": lambda d: text(d.number(0.5, 2)),
    "kp": log(0.5, 100), "kv": log(0.05, 5), "dampratio": log(0.2, 2), "gain": log(1, 50),
    "actuator/position timeconst": log(0.001, 0.3), "actuator/cylinder timeconst": log(0.01, 1),
    "actuator/muscle timeconst": lambda d: text((d.spread(0.005, 0.05), d.spread(0.02, 0.1))),
    "inheritrange": real(0.5, 1.5), "area": log(0.1, 5), "diameter": log(0.1, 2),
    "bias": vector(3, -1, 1), "tausmooth": real(0, 0.5), "actuator/muscle range": lambda d: text((d.number(0.5, 0.9), d.number(1, 1.3))),
    "force": lambda d: d.among("-1", text(d.spread(10, 500))), "actuator/muscle scale": log(50, 300),
    "lmin": real(0.3, 0.7), "lmax": real(1.4, 2), "vmax": real(1, 3), "fpmax": real(0.5, 2),
    "fvmax": real(1.05, 1.6), "actearly": one_of("true", "false"),
    "actuator/general damping": polynomial(0.01, 1), "actuator/general armature": log(0.001, 0.1),
    "interp": one_of("zoh", "linear", "cubic"), "nsample": whole(1, 6), "delay": delay,
    "default motorconst": log(0.01, 1), "motorconst": lambda d: text([d.spread(0.01, 1) for _ in range(d.randint(1, 2))]),
    "resistance": log(0.1, 5), "nominal": lambda d: text((d.spread(3, 24), d.spread(0.1, 2), d.spread(10, 300))),
    "saturation": upto(3, 0.1, 5), "inductance": lambda d: text([d.spread(1e-4, 0.1) for _ in range(d.randint(1, 2))]),
    "cogging": upto(3, 0.01, 2), "controller": upto(6, 0, 5), "thermal": upto(6, 0.1, 2),
    "lugre": lambda d: text((d.spread(1, 1e3), d.spread(0.1, 10), d.spread(0.01, 0.5), d.spread(0.01, 0.5), d.spread(0.01, 1))[: d.among(2, 5, 5)]),
    "input": one_of("voltage", "position", "velocity"),
    # sensors
    "noise": real(0, 0.1), "interval": period, "sensor cutoff": mostly("0", 0.5, log(0.05, 10)),
    "sensor/rangefinder data": lambda d: words(d, "dist dir origin point normal depth", 3),
    "sensor/contact data": lambda d: words(d, "found force torque dist pos normal tangent", 4),
    "num": whole(1, 4), "reduce": one_of("none", "mindist", "maxforce", "netforce"),
    # deformables
    "body/flexcomp radius": log(0.001, 0.02), "deformable/flex radius": log(0.001, 0.05),
    "body/flexcomp mass": log(0.1, 5), "inertiabox": log(0.001, 0.02), "body/flexcomp scale": vector(3, 0.5, 2),
    # the compiler
    "boundmass": mostly("0", 0.5, log(0.01, 1)), "boundinertia": mostly("0", 0.5, log(1e-4, 0.1)),
    "settotalmass": mostly("-1", 0.5, log(1, 50)), "balanceinertia": one_of("true", "false"),
    "strippath": one_of("true", "false"), "fitaabb": one_of("true", "false"),
    "discardvisual": mostly("false", 0.3, one_of("true")), "usethread": one_of("true", "false"),
    "fusestatic": one_of("true", "false"), "inertiafromgeom": one_of("auto", "auto", "true"),
    "inertiagrouprange": lambda d: text(sorted((d.randint(0, 1), d.randint(3, 5)))),
    "saveinertial": one_of("true", "false"), "alignfree": one_of("true", "false"),
    "mode": one_of("none", "muscle", "muscleuser", "all"), "useexisting": one_of("true", "false"),
    "uselimit": one_of("true", "false"), "accel": log(5, 50), "maxforce": mostly("0", 0.5, log(1, 50)),
    "compiler/lengthrange timeconst": log(0.5, 2), "compiler/lengthrange timestep": log(0.005, 0.02),
    "inttotal": real(2, 6), "compiler/lengthrange interval": real(0.5, 1.5), "tolrange": log(0.05, 0.5),
    # options
    "timestep": log(0.0005, 0.02), "impratio": mostly("1", 0.5, log(0.1, 100)),
    "tolerance": mostly("0", 0.5, one_of("1e-8", "1e-12", "1e-4")),
    "ls_tolerance": mostly("0.01", 0.5, one_of("1e-6", "0.1")), "noslip_tolerance": one_of("0", "1e-6"),
    "ccd_tolerance": one_of("1e-6", "1e-9", "1e-4"), "sleep_tolerance": log(1e-4, 0.5),
    "gravity": vector(3, -10, 10), "wind": vector(3, -5, 5), "magnetic": vector(3, -1, 1),
    "option density": log(0.5, 1500), "viscosity": log(1e-4, 1), "o_margin": real(0, 0.05),
    "integrator": one_of("Euler", "RK4", "implicit", "implicitfast"),
    "cone": one_of("pyramidal", "elliptic"), "jacobian": one_of("dense", "sparse", "auto"),
    "solver": one_of("Newton", "Newton", "CG", "PGS"),
    "iterations": mostly("100", 0.7, one_of("200", "500", "50")),
    "ls_iterations": mostly("50", 0.5, one_of("100", "200")), "noslip_iterations": one_of("0", "3", "20"),
    "ccd_iterations": one_of("35", "50", "12"), "sdf_iterations": whole(5, 20), "sdf_initpoints": whole(5, 50),
    "actuatorgroupdisable": one_of("1", "0 3", "5"),
    # sizes
    **dict.fromkeys(("nuser_body", "nuser_jnt", "nuser_geom", "nuser_site"), one_of("-1", "3", "4")),
    **dict.fromkeys(("nuser_cam", "nuser_tendon", "nuser_actuator", "nuser_sensor"), one_of("-1", "3", "4")),
    "memory": one_of("-1", "2M", "50M"), "njmax": one_of("-1", "500"), "nconmax": one_of("-1", "100"),
    "nstack": one_of("-1", "100000"), "nuserdata": whole(0, 4), "nkey": whole(0, 4),
    # statistics, pictures
    "meaninertia": log(0.01, 5), "meanmass": log(0.01, 5), "meansize": log(0.01, 1), "extent": log(0.5, 5),
    "center": vector(3, -1, 1),
    "body sleep": mostly("auto", 0.7, one_of("never", "allowed", "init")),
}  # fmt: skip


def words(d: Draw, all_: str, most: int) -> str:
    """Some different words in their order."""
    names = all_.split()
    chosen = set(d.sample(names, d.randint(1, most)))
    return " ".join(name for name in names if name in chosen)


POSE = "pos quat axisangle xyaxes zaxis euler"
REFERENCES = "name class childclass"
TARGETS = "joint jointinparent tendon slidersite cranksite site refsite cranklength"
OBJECTS = "objtype objname reftype refname site joint tendon actuator body geom1 geom2 body1 body2 camera subtree1 subtree2"

# attributes that the builders of elements give, by the start of a path
BUILT = {
    "": REFERENCES,
    "compiler": "angle eulerseq autolimits",
    "default": "material type axis range size fromto texture gridlayout springlength lengthrange dir mode target focal focalpixel "
               f"principal principalpixel sensorsize ref springref hfield mesh pos {POSE}",
    "body": f"{POSE} mocap", "body/inertial": "mass diaginertia fullinertia",
    "body/joint": "type axis range pos", "body/geom": "type size fromto hfield mesh material",
    "body/site": "type size fromto material",
    "body/camera": "mode target focal focalpixel principal principalpixel sensorsize",
    "body/light": "mode target texture", "body/replicate": "count sep offset euler",
    "body/attach": "model body prefix", "extension": "plugin name key value",
    "body/composite": "prefix type count offset vertex initial curve size quat",
    "body/composite/joint": "kind type axis range solreffix solimpfix", "body/composite/geom": "type size material",
    "body/composite/plugin": "plugin instance key value", "body/composite/skin": "subgrid material", "body/composite/site": "material",
    "actuator/plugin": "plugin instance key value", "sensor/plugin": "plugin instance key value",
    "sensor/tactile": "geom mesh",
    "asset/mesh": "vertex face normal texcoord builtin params material",
    "asset/hfield": "nrow ncol size elevation", "asset/texture": "type builtin width height gridsize gridlayout",
    "asset/material": "texture", "asset/material/layer": "texture role", "asset/model": "name file",
    "asset/skin": "vertex texcoord face material inflate",
    "asset/skin/bone": "body bindpos bindquat vertid vertweight",
    "deformable/skin": "vertex texcoord face material inflate",
    "deformable/skin/bone": "body bindpos bindquat vertid vertweight",
    "body/flexcomp": "type dim dof count spacing cellcount point element texcoord origin material", "body/flexcomp/pin": "id range grid gridrange",
    "body/flexcomp/edge": "equality stiffness damping solref solimp",
    "body/flexcomp/contact": "condim selfcollide internal activelayers passive",
    "deformable/flex/contact": "condim selfcollide internal activelayers passive",
    "body/flexcomp/elasticity": "young poisson damping thickness elastic2d",
    "deformable/flex": "dim body vertex element texcoord elemtexcoord material", "deformable/flex/edge": "stiffness damping",
    "deformable/flex/elasticity": "young poisson damping thickness elastic2d", "equality/flex": "flex",
    "contact/pair": "geom1 geom2", "contact/exclude": "body1 body2",
    "equality": "body1 body2 site1 site2 anchor relpose joint1 joint2 tendon1 tendon2",
    "tendon": "range", "tendon/spatial": "material", "tendon/spatial/site": "site", "tendon/spatial/geom": "geom sidesite",
    "tendon/spatial/pulley": "divisor", "tendon/fixed/joint": "joint coef",
    "actuator": f"{TARGETS} actdim dyntype gaintype biastype dynprm gainprm biasprm body lengthrange",
    "sensor": f"{OBJECTS} datatype needstage dim",
    "custom": "size data objtype objname prm", "keyframe": "time qpos qvel act mpos mquat ctrl",
}  # fmt: skip

# elements and attributes that are not drawn: why
LEFT_OUT = {
    "body/plugin": "cables have it", "body/geom/plugin": "see test_plugins.py",
    "asset/mesh/plugin": "see test_plugins.py", "body/flexcomp/plugin": "is refused by both",
    "equality/flexvert": "see flexcomp", "equality/flexstrain": "see flexcomp",
    "body/flexcomp file": "no files", "body/flexcomp rigid": "see deformable/flex",
    "deformable/flex node": "see flexcomp", "deformable/flex cellcount": "see flexcomp",
    "deformable/flex dof": "see flexcomp",
    "include": "the models are one text; test_expand.py includes files",
    "asset/model content_type": "see test_expand.py",
    "default/material/layer": "classes are drawn before textures",
    "compiler coordinate": "'global' is refused by both",
    "compiler meshdir": "no files", "compiler texturedir": "no files", "compiler assetdir": "no files",
    "asset file": "no files", "asset content_type": "no files",
    "asset/texture fileright": "no files", "asset/texture fileleft": "no files",
    "asset/texture fileup": "no files", "asset/texture filedown": "no files",
    "asset/texture filefront": "no files", "asset/texture fileback": "no files",
    "deformable/skin file": "no files",
}  # fmt: skip


def prefixes(path: str):
    """The path, the paths of what it is in, and the empty one."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), -1, -1)]


def left_out(path: str, name: str = "") -> bool:
    """Whether an element, or one of its attributes, is left out."""
    starts = prefixes(path)
    return any(start in LEFT_OUT or f"{start} {name}" in LEFT_OUT for start in starts)


def built(path: str, name: str) -> bool:
    """Whether the builder of an element gives this attribute."""
    return any(name in BUILT.get(start, "").split() for start in prefixes(path))


def drawn(path: str, name: str) -> Value | None:
    """How an attribute is drawn; None: it is built or left out."""
    if built(path, name) or left_out(path, name):
        return None
    type_ = kinds()[path].attributes[name].type
    places = {s for place in (path, kinds()[path].like) for s in prefixes(place)}
    for start in sorted(places, key=len, reverse=True) if path != "option/flag" else ():
        found = VALUES.get(f"{start} {name}" if start else name)
        if found is not None:
            return found
    if type_.words:
        return one_of(*type_.words)
    if type_.base == "int":
        return whole(0, 5) if type_.single else None
    if type_.most is not None and type_.base in ("real", "float"):
        return vector(type_.most, 0, 1)
    return None
