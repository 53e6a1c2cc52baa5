"""Functions that write files: models, documents, listings."""

import sys

import numpy as np

from mjenv.engine.data import single_functions as single
from mjenv.engine.data.printing import print_data, print_model
from mjenv.engine.edit.constants import set_const
from mjenv.engine.edit.length_range import MODES, set_length_range
from mjenv.engine.mjcf.text.print_schema import print_schema
from mjenv.engine.whole_files import write_whole, written
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.structs import MjData, MjLROpt, MjModel, MjvScene
from mjenv.mujoco.structs.last_document import LastDocument

# what the reference's mj_setConst leaves in the data: results at the initial position, then at that
# where springs are at rest
AT_START = (
    single.kinematics, single.com_pos, single.camlight, single.tendon, single.make_m,
    single.factor_m, single.flex, single.transmission,
)  # fmt: skip
AT_REST = (single.kinematics, single.com_pos, single.tendon, single.transmission)


def mj_saveModel(m: MjModel, filename: str | None, buffer: np.ndarray | None) -> None:
    """Write a model to a file of this module's own, or into memory."""
    data = m.to_bytes()
    if buffer is not None:
        if len(buffer) < len(data):
            raise FatalError(f"mj_saveModel: buffer has {len(buffer)} bytes, expected {len(data)}")
        buffer[: len(data)] = np.frombuffer(data, np.uint8)
    elif filename is not None:
        write_whole(filename, data)


def mj_sizeModel(m: MjModel) -> int:
    """Number of bytes that mj_saveModel writes."""
    return len(m.to_bytes())


def mj_saveLastXML(filename: str, m: MjModel) -> None:
    """Write the document that was compiled last, with the numbers of a model of it.

    An empty name stands for the standard output.
    """
    text = LastDocument.text(m)
    if not filename:
        sys.stdout.write(text)
        return
    try:
        write_whole(filename, text.encode())
    except OSError:
        raise FatalError("File not found") from None  # their words


def mj_printModel(m: MjModel, filename: str) -> None:
    """Write a listing of a model."""
    print_model(m, filename)


def mj_printFormattedModel(m: MjModel, filename: str, float_format: str) -> None:
    """Write a listing of a model; the number of digits is that of the format."""
    print_model(m, filename, _digits(float_format))


def mj_printData(m: MjModel, d: MjData, filename: str) -> None:
    """Write a listing of data."""
    print_data(d.batch.model, d.batch, 0, filename)


def mj_printFormattedData(m: MjModel, d: MjData, filename: str, float_format: str) -> None:
    """Write a listing of data; the number of digits is that of the format."""
    print_data(d.batch.model, d.batch, 0, filename, _digits(float_format))


def mj_printScene(s: MjvScene, filename: str) -> None:
    """Write a listing of a scene."""
    lines = [f"ngeom: {s.ngeom}", f"nlight: {s.nlight}", ""]
    lines += [f"GEOM {place}\n{s.geoms[place]!r}" for place in range(s.ngeom)]
    lines += [f"LIGHT {place}\n{s.lights[place]!r}" for place in range(s.nlight)]
    lines += [f"CAMERA {place}\n{camera!r}" for place, camera in enumerate(s.camera)]
    written(lines, filename)


def mj_printFormattedScene(s: MjvScene, filename: str, float_format: str) -> None:
    """As mj_printScene; numbers are written as Python does."""
    mj_printScene(s, filename)


def mj_printSchema(flg_html: bool, flg_pad: bool) -> str:
    """The elements of MJCF with their attributes, as text or as a table of HTML."""
    return print_schema(bool(flg_html), bool(flg_pad))


def mj_setConst(m: MjModel, d: MjData) -> None:
    """Compute what follows from the rest of a model, after it was edited.

    Data are at the rest position of springs afterwards.
    """
    model, batch = d.batch.model, d.batch
    set_const(model, batch)
    for position, pieces in ((m.qpos0, AT_START), (m.qpos_spring, AT_REST)):
        d.qpos = position
        for run in pieces:
            run(model, batch)


def mj_setLengthRange(m: MjModel, d: MjData, index: int, opt: MjLROpt) -> None:
    """Compute the length range of an actuator."""
    names = ("accel", "maxforce", "timeconst", "inttotal", "interval", "tolrange")
    options = {name: getattr(opt, name) for name in names}
    flags = {"useexisting": bool(opt.useexisting), "uselimit": bool(opt.uselimit)}
    set_length_range(d.batch.model, index, mode=MODES[opt.mode], **options, **flags)


def _digits(float_format: str) -> int:
    """Digits of a format of C's printf, such as "%.6g"."""
    digits = "".join(filter(str.isdigit, float_format.partition(".")[2]))
    return min(max(int(digits or 6), 1), 17)
