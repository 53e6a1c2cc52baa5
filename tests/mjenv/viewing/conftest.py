"""The window that its tests use."""

import pytest

from mjenv.viewing.pace import Pace
from mjenv.viewing.subjects import ModelSubject
from mjenv.viewing.viewer import Viewer
from tests.mjenv.viewing.hands import MODEL, SIZE, Clock


@pytest.fixture
def window(tmp_path):
    """A window on a ball that falls; its clock stands still but for what the test says."""
    (tmp_path / "ball.xml").write_text(MODEL)
    subject = ModelSubject(path=tmp_path / "ball.xml")
    viewer = Viewer(subject, size=SIZE, fps=0, folder=tmp_path, pace=Pace(Clock()))
    viewer.frame()
    yield viewer
    viewer.close()
