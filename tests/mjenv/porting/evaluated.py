"""What functions of symbols give for numbers, without physics and compilers."""

from typing import Any

import numpy as np

from mjenv import functions
from mjenv.engine.bytecode import opcodes
from mjenv.engine.simd.lanes import fma
from mjenv.porting.symbols import symbol_functions  # noqa: F401  numpy's functions on symbols
from mjenv.porting.symbols.symbol import Follower, Symbol

_NAMES = {
    getattr(opcodes, name.upper()): name
    for name in (
        "add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "less_equal",
        "equal", "not_equal", "logical_and", "logical_or", "negative", "absolute", "sqrt", "floor",
        "rint", "logical_not", "isfinite", "isnan", "where", "positive",
    )
    if hasattr(opcodes, name.upper())
}  # fmt: skip
_ELEMENTARY = {
    getattr(opcodes, name.upper()): name
    for name in ("sin", "cos", "exp", "log", "arcsin", "arccos", "arctan2")
}
_ROWS = {
    opcodes.SUM: np.sum, opcodes.SUM_IN_ORDER: np.sum, opcodes.ALL: np.all, opcodes.ANY: np.any,
    opcodes.MAX: np.max, opcodes.MIN: np.min,
}  # fmt: skip


def symbol_of(recording: Follower, name: str, numbers: Any) -> Symbol:
    """A symbol whose numbers will be these; whole ones are of any size."""
    array = np.asarray(numbers)
    ids = recording.field(name, array.shape, np.dtype(np.float64)).ids
    return Symbol(recording, np.array(ids), array.dtype)


def evaluated(function: Any, *given: Any) -> list[np.ndarray]:
    """The numbers of each result of a function of symbols, which returns a list.

    Args:
        function: of as many symbols as there are arrays.
        given: their numbers.
    """
    recording = Follower()
    recording.go("0")
    symbols = [symbol_of(recording, str(k), one) for k, one in enumerate(given)]
    found = function(*symbols)
    values = np.zeros(recording.nvalue)
    for k, symbol in enumerate(symbols):
        ids = np.ravel(recording.field(str(k), symbol.shape, np.dtype(np.float64)).ids)
        values[ids] = np.ravel(np.asarray(given[k], float))
    with np.errstate(all="ignore"):
        for one in recording.sections["0"]:
            _run(one, values, recording.constants)
    return [_numbers(one, values, recording.constants) for one in found]


def _numbers(one: Any, values: np.ndarray, constants: list[float]) -> Any:
    if not isinstance(one, Symbol):
        return one
    return _of(np.asarray(one.ids), values, constants).astype(one.dtype)


def _of(ids: np.ndarray, values: np.ndarray, constants: list[float]) -> np.ndarray:
    known = np.asarray([*constants, 0.0])
    return np.where(ids >= 0, values[np.maximum(ids, 0)], known[np.maximum(-1 - ids, 0)])


def _run(one: Any, values: np.ndarray, constants: list[float]) -> None:
    operands = [_of(ids, values, constants) for ids in one.operands]
    if one.op in _NAMES:
        found = getattr(np, _NAMES[one.op])(*operands)
    elif one.op in _ELEMENTARY:
        found = getattr(functions, _ELEMENTARY[one.op])(*operands)
    elif one.op in _ROWS:
        found = _ROWS[one.op](operands[0], axis=-1)
    elif one.op == opcodes.FMA:
        found = [_fused(*row) for row in zip(*operands, strict=True)]
    elif one.op == opcodes.LOOK_UP:
        found = one.table[operands[0].astype(int)]
    else:
        assert one.op in (opcodes.SINGLE, opcodes.COPY)
        found = operands[0].astype(np.float32) if one.op == opcodes.SINGLE else operands[0]
    found = np.asarray(found, np.float64)
    if one.single:
        found = found.astype(np.float32).astype(float)
    values[one.target : one.target + found.size] = found.reshape(-1)


def _fused(a: float, b: float, c: float) -> float:
    return fma(a, b, c) if np.isfinite([a, b, c]).all() else a * b + c
