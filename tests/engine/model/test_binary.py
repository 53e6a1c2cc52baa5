"""Saved models: the same bytes again, and a clear refusal of everything else."""

import contextlib
import copy
import pickle
import random
import struct
import warnings

import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import ModelFileError, UnsupportedFeature
from mjenv.engine.model import binary
from mjenv.engine.model.editable import EDITS
from mjenv.engine.model.model import ARRAYS, SIZES

from ..mjcf.test_models import ROOT, SHARED, SMALL, differences, index

COPIES = {
    "bytes": lambda m: Model.from_bytes(m.to_bytes()),
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.fixture(scope="module")
def model():
    return Model.from_xml_string(SMALL["actuators"])


def again(model, path):
    """A model after it was saved and loaded, with all that can differ compared."""
    data = model.to_bytes()
    model.save(path)
    assert path.read_bytes() == data
    loaded = Model.load(path)
    assert not differences(loaded, model)
    for name in SIZES:
        assert type(getattr(loaded, name)) is int
    for field in ARRAYS:
        one, other = getattr(loaded, field.name), getattr(model, field.name)
        assert type(one) is type(other)
        if isinstance(one, np.ndarray):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            assert one.flags.writeable == (EDITS[field.name] != "readonly")
            assert one.flags.aligned
    assert loaded.to_bytes() == data
    return loaded


@pytest.mark.parametrize("name", SMALL)
def test_small_models(name, tmp_path):
    again(Model.from_xml_string(SMALL[name]), tmp_path / "model.bin")


def test_own_models(tmp_path):
    for path in sorted((ROOT / "xml").glob("*.xml")):
        loaded = again(Model.from_xml_path(path), tmp_path / "model.bin")
        assert loaded.body(1).name


@pytest.mark.slow
@pytest.mark.skipif(
    not SHARED.exists(), reason="the shared models are not part of the distribution"
)
def test_shared_models(tmp_path):
    count = 0
    for name in index()["files"]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = Model.from_xml_path(SHARED / name)
        except UnsupportedFeature:
            continue
        again(model, tmp_path / "model.bin")
        count += 1
        if count == 50:
            return
    pytest.fail(f"found {count} models, expected 50")


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_are_separate(model, copied):
    twin = copied(model)
    assert twin.to_bytes() == model.to_bytes()
    for field in ARRAYS:
        array = getattr(twin, field.name)
        if isinstance(array, np.ndarray) and array.size:
            assert not np.shares_memory(array, getattr(model, field.name))
    before = model.to_bytes()
    twin.opt.gravity[2] = 7
    twin.opt.timestep = 1
    twin.stat.center[0] = 5
    twin.vis.rgba.fog[1] = 0.3
    twin.vis.global_.fovy = 12
    twin.body_mass[:] = 0
    assert model.to_bytes() == before
    edited = Model.from_bytes(twin.to_bytes())
    assert edited.opt.gravity[2] == 7
    assert edited.vis.global_.fovy == 12
    assert type(edited.vis.global_.fovy) is type(model.vis.global_.fovy)
    assert not edited.body_mass.any()


def test_unusual_numbers(model, tmp_path):
    """Not-a-numbers, infinities and negative zeros keep their bits."""
    twin = copy.deepcopy(model)
    twin.body_mass[:3] = np.nan, np.inf, -0.0
    twin.opt.gravity[:] = -0.0, -np.inf, np.nan
    twin.stat.extent = np.nan
    twin.vis.map.znear = np.inf
    twin.opt.disableflags = -(2**31)
    vars(twin).update(narena=2**64 - 5, njmax=-1)
    assert again(twin, tmp_path / "model.bin").opt.disableflags == -(2**31)


def test_bytes_of_any_kind(model):
    data = model.to_bytes()
    for kind in (bytearray, memoryview, lambda b: np.frombuffer(b, "u1")):
        assert Model.from_bytes(kind(data)).to_bytes() == data


def refusal(data):
    with pytest.raises(ModelFileError) as caught:
        Model.from_bytes(data)
    return str(caught.value)


def signed(data):
    """Bytes with the checksum that fits them."""
    inner = bytes(data[: -binary.CHECKSUM])
    return inner + binary.blake2b(inner, digest_size=binary.CHECKSUM).digest()


def test_messages(model, tmp_path):
    data = model.to_bytes()
    saved = "expected a saved model"
    length = len(data)
    assert refusal(b"") == f"bytes: found 0 bytes, {saved}; Model.save writes such files"
    assert (
        refusal(b"x" * 500) == f"bytes: found something else, {saved}; Model.save writes such files"
    )
    assert refusal(b"<mujoco/>") == f"bytes: found XML, {saved}; use Model.from_xml_path"
    assert refusal(struct.pack("<5i", 54321, 8, 100, 0, 0)) == (
        f"bytes: found a binary file of MuJoCo, {saved}; compile the XML file of the model instead"
    )
    assert refusal(data[:20]) == (
        "bytes: damaged: found 20 bytes, expected 64 or more; save the model again"
    )
    assert refusal(data[:-1]) == (
        f"bytes: damaged: found {length - 1} bytes, expected {length}; save the model again"
    )
    assert refusal(data + b"x") == (
        f"bytes: damaged: found {length + 1} bytes, expected {length}; save the model again"
    )
    assert refusal(data[:8] + b"\2" + data[9:]) == (
        "bytes: found version 2 of the format, expected 1; save the model again from its XML file"
    )
    assert refusal(data[:30] + b"?" + data[31:]) == (
        "bytes: found the fields of another version of mjenv, expected those of this one; save the"
        " model again from its XML file"
    )
    assert refusal(data[:5000] + bytes([data[5000] ^ 1]) + data[5001:]) == (
        "bytes: damaged: found another checksum, expected that of its bytes; save the model again"
    )
    path = tmp_path / "half.bin"
    path.write_bytes(data[: length // 2])
    with pytest.raises(ModelFileError) as caught:
        Model.load(path)
    assert str(caught.value) == (
        f"{path}: damaged: found {length // 2} bytes, expected {length}; save the model again"
    )
    with pytest.raises(FileNotFoundError):
        Model.load(tmp_path / "none.bin")


def test_bytes_made_to_mislead(model):
    """Sizes that no file can have are refused before memory is taken, right checksum or not."""
    data = bytearray(model.to_bytes())
    place = binary.HEAD.size + 8 * SIZES.index("nbody")
    for size in (2**62, -1, -(2**63), model.nbody + 1, 0):
        struct.pack_into("<q", data, place, size)
        assert "sizes and arrays that do not fit" in refusal(signed(data))
    short = data[: binary.HEAD.size + binary.CHECKSUM]
    struct.pack_into("<Q", short, 16, len(short))
    assert "found 80 bytes, expected" in refusal(signed(short))
    struct.pack_into("<Q", data, 16, 2**63)
    assert f"found {len(data)} bytes, expected {2**63}" in refusal(signed(data))


@pytest.mark.parametrize("size", [2**31, 3154116626, 2**40, 2**62, 2**63 - 1])
def test_sizes_that_no_array_shows(size):
    """Sizes of arrays without elements, because another size is 0, are refused by name too."""
    data = Model.from_xml_string("<mujoco/>").to_bytes()
    refused = 0
    for place in range(len(SIZES)):
        changed = bytearray(data)
        struct.pack_into("<Q", changed, binary.HEAD.size + 8 * place, size)
        with contextlib.suppress(ModelFileError):
            Model.from_bytes(signed(changed))
            continue
        refused += 1
    assert refused > 60


def test_damage_at_random(model, tmp_path):
    """Flipped, cut, moved and inserted bytes end in the one error, from memory and from a file."""
    rng = random.Random(0)
    data = model.to_bytes()
    path = tmp_path / "damaged.bin"
    for trial in range(500):
        new = bytearray(data)
        for _ in range(rng.choice((1, 1, 1, 4, 100))):
            spot = rng.randrange(rng.choice((64, 600, len(data))))
            new[spot] ^= 1 << rng.randrange(8)
        how = rng.randrange(5)
        if how == 0:
            del new[rng.randrange(len(data)) :]
        elif how == 1:
            start = rng.randrange(len(data))
            del new[start : start + rng.randrange(1, 200)]
        elif how == 2:
            spot = rng.randrange(len(data))
            new[spot:spot] = rng.randbytes(rng.randrange(1, 200))
        if bytes(new) == data:
            continue
        assert refusal(new)
        if trial % 10 == 0:
            path.write_bytes(new)
            with pytest.raises(ModelFileError):
                Model.load(path)


def test_wrong_length_of_a_text(model):
    twin = copy.deepcopy(model)
    vars(twin)["names"] = b"x"
    with pytest.raises(ModelFileError, match=r"^names: found 1 bytes, expected nnames = \d+$"):
        twin.to_bytes()
