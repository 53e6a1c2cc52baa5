"""Arguments that are not of the expected type: converted, or refused, as the bindings do."""

from operator import index
from typing import Any, NoReturn

import numpy as np

from mjenv.mujoco.structs.model import MjModel

ANY = -1  # a length that is not fixed


def refuse(where: str, name: str, found: Any, expected: str) -> NoReturn:
    """Raise the error of an argument of the wrong type."""
    if isinstance(found, np.ndarray):
        found = f"{found.dtype} of shape {found.shape}" + (
            "" if found.flags.writeable else ", read-only"
        )
    else:
        found = type(found).__name__
    raise TypeError(
        f"{where}(): incompatible function arguments: {name}: found {found}, expected {expected}"
    )


def whole(value: Any, where: str, name: str) -> int:
    """An argument of type int."""
    if isinstance(value, float | np.floating | str | bytes) or value is None:
        refuse(where, name, value, "an int")
    try:
        return index(value)
    except TypeError:
        pass
    try:
        return int(value)
    except (TypeError, ValueError):
        refuse(where, name, value, "an int")


def real(value: Any, where: str, name: str) -> float:
    """An argument of type float."""
    if isinstance(value, str | bytes):
        refuse(where, name, value, "a float")
    try:
        return float(value)
    except (TypeError, ValueError):
        refuse(where, name, value, "a float")


def text(value: Any, where: str, name: str) -> str:
    """An argument of type str."""
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        refuse(where, name, value, "a str")
    return value


def struct(value: Any, kind: type, where: str, name: str) -> Any:
    """An argument of one of the structures."""
    if not isinstance(value, kind):
        refuse(where, name, value, kind.__name__)
    return value


def model(value: Any, where: str, name: str) -> MjModel:
    """An argument of type MjModel."""
    return struct(value, MjModel, where, name)


def vector(value: Any, dtype: np.dtype, length: int, where: str, name: str) -> np.ndarray:
    """An argument that is read, of one axis: anything that numpy makes an array of."""
    expected = f"{dtype} of shape ({'n' if length == ANY else length},)"
    try:
        array = np.asarray(value, dtype)
    except (TypeError, ValueError):
        refuse(where, name, value, expected)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    elif array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1 or length not in (ANY, array.size):
        refuse(where, name, array, expected)
    return array


def matrix(value: Any, dtype: np.dtype, where: str, name: str) -> np.ndarray:
    """An argument that is read, of two axes; of one, it is a column."""
    try:
        array = np.ascontiguousarray(value, dtype)
    except (TypeError, ValueError):
        refuse(where, name, value, f"{dtype} of shape (m, n)")
    if array.ndim > 2:
        refuse(where, name, array, f"{dtype} of shape (m, n)")
    return array.reshape(-1, 1) if array.ndim < 2 else array


def vector_to_fill(value: Any, dtype: np.dtype, length: int, where: str, name: str) -> np.ndarray:
    """An argument that is written into, of one axis."""
    fits = isinstance(value, np.ndarray) and value.dtype == dtype and value.flags.writeable
    if fits and value.ndim == 2 and value.shape[1] == 1:
        value = value[:, 0]
    if not fits or value.ndim != 1 or length not in (ANY, value.size):
        shape = f"({'n' if length == ANY else length},)"
        refuse(where, name, value, f"a writeable array of {dtype}, of shape {shape}")
    # its memory: packages have subclasses whose assignments do more than write
    return np.asarray(value)


def matrix_to_fill(value: Any, dtype: np.dtype, where: str, name: str) -> np.ndarray:
    """An argument that is written into, of two axes, row after row; of one, it is a column."""
    fits = isinstance(value, np.ndarray) and value.dtype == dtype and value.flags.writeable
    if not fits or value.ndim not in (1, 2) or not value.flags.c_contiguous:
        refuse(where, name, value, f"a writeable, C-contiguous array of {dtype}, of shape (m, n)")
    array = np.asarray(value)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def wrong_size(where: str, name: str, array: np.ndarray, rule: str, expected: Any) -> NoReturn:
    """Raise the error of an array of another size than other arguments ask for."""
    if rule == "nstate(m, sig)":
        raise TypeError("state size should equal mj_stateSize(m, sig)")
    raise TypeError(
        f"{where}: {name} has shape {array.shape}, expected {expected}, which is {rule}"
    )
