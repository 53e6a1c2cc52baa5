"""What holds for tests of ports: packages that they import leave nothing behind."""

import pytest


@pytest.fixture(autouse=True)
def warnings_are_those_of_python():
    """Packages that take `mjenv.mujoco` for mujoco may have it send them its warnings, for good."""
    from mjenv.engine.run.simulation_warnings import Listener

    before = Listener.function
    yield
    Listener.function = before
