"""What sensors add to the records of model and data."""

import numpy as np

from ..enums import NSENS
from ..fields import table

SENSOR_MODEL = table("""
nsensortype      size  -               types of sensors, and the end
sensor_typeadr   int   nsensortype     first entry in sensor_order of each type
sensor_order     int   nsensor         sensors sorted by type
""")

SENSOR_DATA = table("""
sense_momentum   real  nv              M qvel
""")


def sensor_tables(model) -> dict:
    """Arrays and sizes of `SENSOR_MODEL`."""
    return {
        "nsensortype": NSENS + 1,
        "sensor_typeadr": np.searchsorted(np.sort(model.sensor_type), np.arange(NSENS + 1)),
        "sensor_order": np.argsort(model.sensor_type, kind="stable"),
    }
