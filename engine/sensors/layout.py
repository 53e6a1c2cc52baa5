"""What sensors add to the records of model and data."""

import numpy as np

from ..enums import NSENS, OBJ_CAMERA, SENS_CAMERARAYS, SENS_CONTACT, SENS_RANGEFINDER
from ..fields import table
from ..history import initial_history

SENSOR_MODEL = table("""
nsensortype      size  -               types of sensors, and the end
sensor_typeadr   int   nsensortype     first entry in sensor_order of each type
sensor_order     int   nsensor         sensors sorted by type
nsenseslot       size  -               contact slots, where contacts are sensed
nsensefresh      size  -               values of sensordata, where sensors have histories
history0         real  nhistory        delay buffers at time 0
""")

SENSOR_DATA = table("""
sense_momentum   real  nv              M qvel
sense_found      real  1               contacts that match a sensor
sense_rank       real  nsenseslot      order in which they are wanted; infinite: no match
sense_force      real  nsenseslot*6    force and torque in the frame of the contact (N, N m)
sense_fresh      real  nsensefresh     readings before delays
sense_times      real  2               delay and interval of a sensor (s)
sense_side       int   nsenseslot      1: match; -1: match the other way round; 0: none
""")


def sensor_kinds(model) -> np.ndarray:
    """Types of sensors as the table has them."""
    of_cameras = (model.sensor_type == SENS_RANGEFINDER) & (model.sensor_objtype == OBJ_CAMERA)
    return np.where(of_cameras, SENS_CAMERARAYS, model.sensor_type)


def sensor_tables(model, tables: dict) -> dict:
    """Arrays and sizes of `SENSOR_MODEL`.

    Args:
        model: a `Model`.
        tables: tables so far, of which the number of contact slots counts.
    """
    kinds = sensor_kinds(model)
    past = bool(np.any(model.sensor_history[:, 0] > 0))
    return {
        "nsensortype": NSENS + 1,
        "sensor_typeadr": np.searchsorted(np.sort(kinds), np.arange(NSENS + 1)),
        "sensor_order": np.argsort(kinds, kind="stable"),
        "nsenseslot": int(tables["nslot"]) if SENS_CONTACT in kinds else 0,
        "nsensefresh": model.nsensordata if past else 0,
        "history0": initial_history(model),
    }
