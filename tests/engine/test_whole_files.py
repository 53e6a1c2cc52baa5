"""Files are as they were or complete, and those that cannot be written are named."""

import os

import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.whole_files import write_whole

XML = "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"


def test_a_file_is_replaced(tmp_path):
    path = tmp_path / "file"
    write_whole(path, b"one")
    path.chmod(0o640)
    write_whole(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_link_is_followed(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"one")
    link.symlink_to(path)
    write_whole(link, b"two")
    assert link.is_symlink()
    assert path.read_bytes() == b"two"


def test_what_fails_leaves_the_old_file(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "model.bin"
    model = Model.from_xml_string(XML)
    model.save(path)
    before = path.read_bytes()
    model.opt.timestep = 1
    monkeypatch.setattr(os, "fsync", full)
    for write in (model.save, Spec.from_string(XML).to_file):
        with pytest.raises(OSError, match="No space left") as caught:
            write(path)
        assert caught.value.filename == str(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.bin"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_what_is_no_file_is_written_as_it_is(tmp_path):
    write_whole(os.devnull, b"one")
    assert not os.path.isfile(os.devnull)
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"one")


def test_folders_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "none" / "file", b"")
    assert caught.value.filename == str(tmp_path / "none" / "file")
