"""A short recording of worlds that move by themselves."""

import mjenv
from mjenv.training.films.recording import Recording


def recorded(model, data):
    """The states of 20 pieces of 5 steps, and the one that they begin with."""
    recording = Recording(model, nstep=5)
    recording.append(data)
    for _ in range(20):
        mjenv.step(model, data, 5)
        recording.append(data)
    return recording
