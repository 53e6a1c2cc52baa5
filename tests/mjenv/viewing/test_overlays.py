"""What is written over the picture, and the body that is selected."""

import mjenv
from mjenv.viewing.simulations import ModelSimulation
from mjenv.viewing.viewer import Viewer
from tests.mjenv.viewing.hands import SIZE, labels, press


def test_overlays_are_seen(window):
    press(window, "space", "f2", "f3", "f4")
    from mjenv.viewing.overlays import info, sensors

    assert ("selected", "ball") not in info(window)
    window._mouse.select(1)
    assert ("selected", "ball") in info(window)
    assert dict(info(window))["speed"] == "paused of 1"
    assert sensors(window) == [("place", "0 0 1")]
    assert {name for name, _ in window.profile.lines()} >= {"scene", "picture", "words", "pictures"}
    with_panels = window._screen.shown()
    press(window, "f2", "f3", "f4")
    assert (with_panels != window._screen.shown()).any(-1).mean() > 0.1


def test_a_model_without_sensors():
    model = mjenv.Model.from_xml_string("<mujoco/>")
    viewer = Viewer(ModelSimulation(model), size=SIZE, fps=0)
    press(viewer, "f1", "f2", "f3", "f4")
    press(viewer, "f1")
    from mjenv.viewing.overlays import sensors

    assert sensors(viewer) == [("", "the model has no sensors")]
    viewer.close()


def test_bodies_are_selected_where_they_are_seen(window):
    """Through every camera."""
    window.opt.label = int(mjenv.mjtLabel.mjLABEL_GEOM)
    for camera in range(3):
        press(window, "space", "]")
        (found,) = [label for label in labels(window.scn, *SIZE) if label[0] == "skull"]
        assert window._mouse.at(found[1:], SIZE).bodyid == 1, camera
