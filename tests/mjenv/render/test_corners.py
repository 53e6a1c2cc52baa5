"""Corners of triangles without normals or texture coordinates are drawn flat, without them."""

import numpy as np

import mjenv
from mjenv.render.assets import at_corners, flat_normals

OBJ = b"""v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvn 1 0 0\nvt .5 0\nvt .5 .5
f 1/1/1 3/1/1 2/1/2\nf 1 2 4\nf 1/2/1 4/2/1 3/2/1\nf 2/2/1 3/2/1 4/2/1\n"""


def test_corners_without_normals():
    mesh, geom = "<mesh name='m' file='a.obj'/>", "<geom type='mesh' mesh='m'/>"
    model = mjenv.Model.from_xml_string(
        f"<mujoco><asset>{mesh}</asset><worldbody>{geom}</worldbody></mujoco>",
        {"a.obj": OBJ},
    )
    assert (model.mesh_facenormal[1] == -1).all()
    corners = model.mesh_vert[model.mesh_face].astype(float)
    normals, uv = at_corners(model, 0, slice(0, 4), corners)
    assert np.array_equal(normals[1], flat_normals(corners)[1])
    assert np.array_equal(normals[2], model.mesh_normal[model.mesh_facenormal[2]])
    assert (uv[1] == 0).all()
    assert (uv[2, :, 0] == 0.5).all()
