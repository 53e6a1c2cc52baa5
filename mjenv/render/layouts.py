"""The records of the ray caster: what it draws, and what a thread works in.

Reals are of single precision; a pack is 16 pixels of a picture, or 16 shapes in the lists of
bounding spheres. Places are relative to the eye, so that far from the origin nothing is lost.
"""

from mjenv.engine.simd.record import Layout

LANES = 16  # pixels of a pack: 4 by 4
TILE = 16  # pixels along the side of a tile; a tile has 16 packs
VIEWS = 2  # the camera, and its image in the mirror
HALO = 4  # packs around a tile: the rows above and below it, the columns beside it
NSAMPLE = 4  # samples of a pixel with an edge
SAMPLES = LANES + HALO  # the first of their packs
SLOTS = SAMPLES + NSAMPLE  # packs of a tile, around it, and within pixels
KEY_SIDE = TILE + 2
RAY = 12  # numbers of a shape in a view: origin, and images of right, up, forward in its frame
AT_WORLD, AT_MIRROR, AT_CLEAR, AT_VIEW, AT_SHAPE, AT_MODE = range(6)  # integers of `at`
AT_LOOK = 6  # 1: signals are to be looked for
STOPPED = 1 << 40  # a counter of bands from which on nothing is drawn any more
PAINT = 8  # packs of what is lit: a, b, distance, triangle, whether it is wanted; its colour
LIGHT = 30  # numbers of a light, see prepare.py

# sizes: numbers that hold for all worlds
_SIZES = (
    "nworld", "nshape", "npack", "nlight", "height", "width", "sky", "smooth", "want_rgb",
    "want_depth", "want_ids", "band", "nband", "mirror_shape", "shadows", "texture_on",
    "light_on", "haze_shape", "fog", "ortho", "cull", "additive", "words", "paint",
)  # fmt: skip
# numbers from one world to the next, 0 where all worlds share a table
_STEPS = (
    "step_pose", "step_size", "step_rgba", "step_matter", "step_light", "step_camera",
    "step_shown",
)  # fmt: skip

SCENE = Layout(
    "picture",
    [(name, "size") for name in (*_SIZES, *_STEPS)]
    + [
        # shapes: what they are, and in every world where
        ("kind", "i4"),
        ("convex", "i4"),
        ("caster", "i4"),
        ("glows", "i4"),
        ("shape_mesh", "i4"),
        ("shape_mirror", "i4"),
        ("shown", "u1"),
        ("object_id", "i4"),
        ("object_type", "i4"),
        ("pos", "f8"),
        ("mat", "f8"),
        ("size", "f4", True),
        ("bound", "f4", True),
        ("rgba", "f4", True),
        ("matter", "f4", True),
        # textures of shapes
        ("texture", "i4"),
        ("mapping", "i4"),
        ("texscale", "f4", True),
        ("texels", "i4"),
        ("texture_level0", "i4"),
        ("texture_levels", "i4"),
        ("texture_cube", "i4"),
        ("level_adr", "i4"),
        ("level_width", "i4"),
        ("level_height", "i4"),
        # triangles of meshes, height fields and skins, with trees of boxes over them
        ("mesh_tree", "i4"),
        ("mesh_leaf", "i4"),
        ("mesh_face", "i4"),
        ("mesh_flags", "i4"),
        ("tree_axis", "i4"),
        ("tree_box", "f4", True),
        ("triangle", "f4", True),
        ("corner_normal", "f4", True),
        ("corner_uv", "f4", True),
        # lights and cameras
        ("light_kind", "i4"),
        ("light_shadow", "i4"),
        ("light", "f8"),
        ("camera", "f8"),
        ("haze", "f4", True),
        ("fog_range", "f4", True),
        ("corner_reach", "f4", True),
        ("skylight", "f4", True),
        # the pictures
        ("rgb", "u1"),
        ("rgb_word", "i4"),
        ("depth", "f4", True),
        ("ids", "i4"),
        ("counter", "i8"),
        # address of what lets Python look for signals
        ("look", "size"),
    ],
)

WORK = Layout(
    "picture_work",
    [
        ("lane", "f4"),
        ("at", "i4"),
        # shapes of the world at hand
        ("centre", "f4", True),
        ("turn", "f4", True),
        ("ray", "f4", True),
        ("sight", "f4", True),
        ("lens", "f4", True),
        ("ball", "f4"),
        ("caster_ball", "f4"),
        ("frame", "f4"),
        ("colour", "f4", True),
        ("extent", "f4", True),
        ("matter", "f4", True),
        ("clear", "i4"),
        ("around", "i4"),
        ("order", "i4"),
        ("lamp", "f4", True),
        # lists of a tile, and its packs
        ("listed", "i4"),
        ("fence", "f4"),
        ("count", "i4"),
        ("pack", "f4"),
        ("key", "f4", True),
        ("out", "f4"),
        ("paint", "f4"),
        ("stack", "i4"),
        ("word", "i4"),
    ],
)
