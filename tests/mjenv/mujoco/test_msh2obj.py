"""Old binary meshes as OBJ: the reference's models of both are the same."""

import struct
import subprocess
import sys

import mujoco
import numpy as np
import pytest

from mjenv.mujoco import msh2obj

VERTICES = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.30000001]], "f4")
NORMALS = np.array([[-0.6, -0.8, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "f4")
TEXCOORDS = np.array([[0, 0.25], [1, 0], [0, 1], [0.5, 0.125]], "f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "i4")
MSH = struct.pack("<4i", 4, 4, 4, 4) + b"".join(
    a.tobytes() for a in (VERTICES, NORMALS, TEXCOORDS, FACES)
)
SCENE = '<mujoco><asset><mesh name="m" file="m.{}"/></asset></mujoco>'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "m.msh"
    path.write_bytes(MSH)
    return path


def test_same_model(file):
    models = [
        mujoco.MjModel.from_xml_string(SCENE.format(kind), {f"m.{kind}": content})
        for kind, content in (("msh", MSH), ("obj", msh2obj.msh_to_obj(file).encode()))
    ]
    for name in ("vert", "normal", "texcoord", "face", "facenormal", "facetexcoord", "pos", "quat"):
        first, second = (getattr(model, f"mesh_{name}") for model in models)
        np.testing.assert_allclose(first, second, atol=1e-6, err_msg=name)


def test_command(file, tmp_path):
    out = tmp_path / "m.obj"
    words = ("-m", "mjenv.mujoco.msh2obj", "-i", str(file), "-o", str(out))
    subprocess.run([sys.executable, *words], check=True)
    assert out.read_text() == msh2obj.msh_to_obj(file)
    assert out.read_text().splitlines()[:2] == ["v 0.0 0.0 0.0", "v 0.3 0.0 0.0"]


def test_mistakes(tmp_path):
    path = tmp_path / "m.msh"
    with pytest.raises(FileNotFoundError, match="does not exist"):
        msh2obj.msh_to_obj(path)
    path.write_bytes(b"12")
    with pytest.raises(ValueError, match="counts"):
        msh2obj.msh_to_obj(path)
    path.write_bytes(MSH[:-4])
    with pytest.raises(ValueError, match="11 numbers of faces, expected 4 times 3"):
        msh2obj.msh_to_obj(path)
