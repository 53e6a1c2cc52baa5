"""The instructions of bytecode, and the memory that they work on.

Bytecode is a list of instructions for a small vector interpreter. Values are numbered; each is a
real, one number per world of a pack. An instruction has `LENGTH` words: operation, target, count,
then first value and stride of up to three operands. Element-wise operations compute

    value[target + i] = op(value[a + i*da], value[b + i*db], value[c + i*dc])   for i < count

Truth values are the reals 0 and 1. Numbers of single precision are kept as float64 and rounded to
float32 after each operation, which gives the bits of float32 arithmetic.
"""

from ..tables.fields import table

LENGTH = 9  # words of an instruction

# two operands, one operand, three operands or a row of values, memory, functions of elementary.py
(ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM) = range(6)
(LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, LOGICAL_AND, LOGICAL_OR) = range(6, 12)
(NEGATIVE, ABSOLUTE, SQRT, FLOOR, RINT, LOGICAL_NOT, ISFINITE, ISNAN, SINGLE, COPY) = range(12, 22)
(WHERE, FMA, SUM, SUM_IN_ORDER, ALL, ANY, MAX, MIN) = range(22, 30)
(LOAD, GATHER, LOOK_UP, SET_FIELD, CONTACT) = range(30, 35)
(STORE_DOUBLE, STORE_SINGLE, STORE_LONG, STORE_BYTE) = range(35, 39)
(SIN, COS, EXP, LOG, ARCSIN, ARCCOS, ARCTAN2, STOP) = range(39, 47)

# what CONTACT reads of contact slots, and numbers of each slot: whether the world has the contact,
# whether it has constraint rows, distance, position, frame, forces of its rows, and its force and
# torque in its own frame
(CONTACT_ON, CONTACT_HAS_ROWS, CONTACT_DIST, CONTACT_POS, CONTACT_FRAME, CONTACT_ROWS,
 CONTACT_FORCE) = range(7)  # fmt: skip
MOST_ROWS = 10  # of one contact: a pyramid of six dimensions
CONTACT_SIZES = {
    "on": 1, "has_rows": 1, "dist": 1, "pos": 3, "frame": 9, "rows": MOST_ROWS, "force": 6,
}  # fmt: skip

# what each thread has for bytecode; arrays of the type of users' results are entered as an anchor,
# from which the places of results are counted
BYTECODE_DATA = table("""
bytecode_word     long  nbytecodeword   instructions, and lists of values
bytecode_entry    long  2              first instruction before the steps, and after them
bytecode_phase    long  1              0: before the steps; 1: after them
bytecode_value    real  nbytecodevalue  values
bytecode_world    real  1              indices of the worlds
bytecode_input    real  nbytecodeinput  what the user gives: actions, and numbers of worlds
bytecode_place    long  nbytecodeplace  where results of the first world go, from the anchor
bytecode_double   scalar 1             anchor of results of type float64
bytecode_single   float 1              anchor of results of type float32
bytecode_long     long  1              anchor of results of type int64
bytecode_byte     byte  1              anchor of results of type bool
""")
