"""Environments and agents in the window."""

import numpy as np
import pytest

from mjenv import viewer as windows
from mjenv.viewing.subjects import EnvironmentSubject
from tests.mjenv.viewing.hands import Clock, press


def test_environments_go_back_and_on():
    viewer = windows.environment_viewer("mjenv/Swimmer-v5", seed=3)
    viewer.pace.clock = Clock()
    assert isinstance(viewer.subject, EnvironmentSubject)
    press(viewer, "space", "right")
    first = viewer.data.qpos.copy()
    press(viewer, "right", "right")
    assert viewer.data.time[0] == pytest.approx(3 * viewer.subject.dt)
    press(viewer, "left", "left")
    assert (viewer.data.qpos == first).all()
    press(viewer, "ctrl k")
    assert viewer.message == "keyframes are of models, not of environments"
    press(viewer, "ctrl l")
    assert viewer.message == "there is no file to read again"
    viewer.load("x.xml")
    assert viewer.message == "files are shown by `mjenv view FILE`"
    press(viewer, "backspace")
    assert viewer.data.time[0] == 0
    viewer.close()


def test_agents_act_on_what_they_see():
    """Also on what they see after a step back."""
    seen = []

    def act(observation):
        seen.append(observation)
        return np.zeros(1)

    viewer = windows.environment_viewer("mjenv/InvertedPendulum-v5", act=act)
    press(viewer, "right", "right", "left", "right")
    viewer.close()
    assert (seen[1] != seen[0]).any()
    assert (seen[2] == seen[1]).all()
