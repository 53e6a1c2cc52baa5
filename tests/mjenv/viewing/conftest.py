"""The window that its tests use."""

import pytest

from mjenv.viewing.real_time import RealTime
from mjenv.viewing.simulations import ModelSimulation
from mjenv.viewing.viewer import Viewer
from tests.mjenv.viewing.hands import MODEL, SIZE, Clock


@pytest.fixture
def window(tmp_path):
    """A window on a ball that falls; its clock stands still but for what the test says."""
    (tmp_path / "ball.xml").write_text(MODEL)
    simulation = ModelSimulation(path=tmp_path / "ball.xml")
    viewer = Viewer(simulation, size=SIZE, fps=0, folder=tmp_path, real_time=RealTime(Clock()))
    viewer.frame()
    yield viewer
    viewer.close()
