"""The interpreter of bytecode, for the worlds of a pack; opcodes.py has its instructions."""

from ..simd.elementary import acos, asin, atan2, cos, exp, log, sin
from ..simd.kernel import kernel, variant
from ..simd.lanes import (
    absolute,
    exponent,
    floor,
    fma,
    get_lane,
    reals_at,
    record_word,
    rint,
    scale2,
    select,
    sqrt,
)
from .opcodes import (
    ABSOLUTE,
    ADD,
    ALL,
    ANY,
    ARCCOS,
    ARCSIN,
    CONTACT,
    COS,
    DIVIDE,
    EQUAL,
    EXP,
    FLOOR,
    FMA,
    GATHER,
    ISFINITE,
    ISNAN,
    LENGTH,
    LESS,
    LESS_EQUAL,
    LOAD,
    LOG,
    LOGICAL_AND,
    LOGICAL_NOT,
    LOGICAL_OR,
    LOOK_UP,
    MAX,
    MAXIMUM,
    MIN,
    MINIMUM,
    MULTIPLY,
    NEGATIVE,
    NOT_EQUAL,
    RINT,
    SET_FIELD,
    SIN,
    SINGLE,
    SQRT,
    STOP,
    STORE_DOUBLE,
    STORE_LONG,
    STORE_SINGLE,
    SUBTRACT,
    SUM,
    SUM_IN_ORDER,
    WHERE,
)

LARGEST = 1.7976931348623157e308  # of float64
LARGEST_SINGLE = 3.4028234663852886e38  # of float32
SMALLEST = 2.2250738585072014e-308  # normal float64
TWO_54, LOG_TWO_54 = 18014398509481984.0, 37.42994775023705
BLOCK = 8  # numbers that numpy adds side by side


@kernel
def no_function(d, k, op, n):
    """Stand for elementary functions in bytecode that has none: do nothing."""


@kernel
def elementary_function(d, k, op, n):
    """Elementary functions of n values."""
    v, target = d.bytecode_value, d.bytecode_word[k + 1]
    a, da = d.bytecode_word[k + 3], d.bytecode_word[k + 4]
    b, db = d.bytecode_word[k + 5], d.bytecode_word[k + 6]
    for i in range(n):
        v[target + i] = function_of(op, v[a + i * da], v[b + i * db])


@kernel
def function_of(op, x, y):
    """An elementary function of x, or of x and y."""
    if op == SIN:
        return sin(x)
    if op == COS:
        return cos(x)
    if op == EXP:
        return exp(x)
    if op == LOG:
        return logarithm(x)
    if op == ARCSIN:
        return asin(x)
    if op == ARCCOS:
        return acos(x)
    return atan2(x, y)


@kernel
def logarithm(x):
    """Natural logarithm of any number: -infinity of 0, NaN of what is below."""
    tiny = x < SMALLEST
    normal = (x > 0.0) & (x <= LARGEST)
    y = log(select(normal, select(tiny, x * TWO_54, x), 1.0))
    y = select(tiny, y - LOG_TWO_54, y)
    # x - x is NaN of infinity and of NaN
    return select(
        normal, y, select(x == 0.0, -1.0 / absolute(x), select(x > 0.0, x, (x - x) / 0.0))
    )


@kernel
def apply_function(c):
    """Apply a function to numbers, one after the other: z = f(x, y)."""
    for i in range(c.count):
        c.z[i] = function_of(c.which, c.x[i], c.y[i])


@kernel
def run_bytecode(m, d):
    """Run the instructions of this phase: before the steps, or after them.

    Reads: bytecode_word, bytecode_entry, all fields of mjData that bytecode names.
    Writes: bytecode_value, bytecode_phase, the users' results, fields that bytecode sets.
    """
    phase = d.bytecode_phase[0]
    d.bytecode_phase[0] = 1 - phase
    k = d.bytecode_entry[phase]
    op = d.bytecode_word[k]
    while op != STOP:
        n = d.bytecode_word[k + 2]
        # numbers of operations are in groups, the most frequent first
        if op < NEGATIVE:
            two_operands(d, k, op, n)
        elif op < WHERE:
            one_operand(d, k, op, n)
        elif op < LOAD:
            several_operands(d, k, op, n)
        elif op == LOAD:
            load_field(m, d, k, n)
        elif op == GATHER:
            gather_values(d, k, n)
        elif op == LOOK_UP:
            look_up(m, d, k, n)
        elif op == SET_FIELD:
            set_field(m, d, k, n)
        elif op == CONTACT:
            load_contact(m, d, k, n)
        elif op < SIN:
            store_results(m, d, k, op, n)
        else:
            elementary(d, k, op, n)
        k += LENGTH
        op = d.bytecode_word[k]


@kernel
def no_contact(m, d, k, n):
    """Stand for contacts in bytecode that reads none: do nothing."""


# names that the interpreter calls functions and contacts by; variants give them their meaning
elementary, load_contact = no_function, no_contact


@kernel
def two_operands(d, k, op, n):
    """Element-wise operations of two operands."""
    # operands, each with the step from one element to the next
    v, target = d.bytecode_value, d.bytecode_word[k + 1]
    a, da = d.bytecode_word[k + 3], d.bytecode_word[k + 4]
    b, db = d.bytecode_word[k + 5], d.bytecode_word[k + 6]
    # plain arithmetic has loops without branches
    if op == ADD:
        for i in range(n):
            v[target + i] = v[a + i * da] + v[b + i * db]
    elif op == SUBTRACT:
        for i in range(n):
            v[target + i] = v[a + i * da] - v[b + i * db]
    elif op == MULTIPLY:
        for i in range(n):
            v[target + i] = v[a + i * da] * v[b + i * db]
    else:
        for i in range(n):
            x, y = v[a + i * da], v[b + i * db]
            if op == DIVIDE:
                v[target + i] = x / y
            elif op == MAXIMUM:
                v[target + i] = larger(x, y)
            elif op == MINIMUM:
                v[target + i] = smaller(x, y)
            elif op == LESS:
                v[target + i] = select(x < y, 1.0, 0.0)
            elif op == LESS_EQUAL:
                v[target + i] = select(x <= y, 1.0, 0.0)
            elif op == EQUAL:
                v[target + i] = select(x == y, 1.0, 0.0)
            elif op == NOT_EQUAL:
                v[target + i] = select(x != y, 1.0, 0.0)
            elif op == LOGICAL_AND:
                v[target + i] = x * y
            elif op == LOGICAL_OR:
                v[target + i] = larger(x, y)


@kernel
def larger(x, y):
    """The larger number; the second of equal ones, and NaN if either is NaN."""
    return select((x > y) | (x != x), x, y)


@kernel
def smaller(x, y):
    """The smaller number; the second of equal ones, and NaN if either is NaN."""
    return select((x < y) | (x != x), x, y)


@kernel
def one_operand(d, k, op, n):
    """Element-wise operations of one operand."""
    v, target = d.bytecode_value, d.bytecode_word[k + 1]
    a, da = d.bytecode_word[k + 3], d.bytecode_word[k + 4]
    for i in range(n):
        x = v[a + i * da]
        if op == NEGATIVE:
            x = -x
        elif op == ABSOLUTE:
            x = absolute(x)
        elif op == SQRT:
            x = sqrt(x)
        elif op == FLOOR:
            x = floor(x)
        elif op == RINT:
            x = rint(x)
        elif op == LOGICAL_NOT:
            x = 1.0 - x
        elif op == ISFINITE:
            x = select(absolute(x) <= LARGEST, 1.0, 0.0)
        elif op == ISNAN:
            x = select(x != x, 1.0, 0.0)
        elif op == SINGLE:
            x = to_single(x)
        v[target + i] = x


@kernel
def to_single(x):
    """The nearest number of single precision, ties to even, as a float64.

    Adding and taking off 1.5 * 2**29 times the leading bit leaves as many digits as float32 has;
    below 2**-126 they end at a fixed place.
    """
    e = exponent(x)
    e = select(e < -126.0, -126.0, select(e > 128.0, 128.0, e))
    shift = scale2(1.5, e + 29.0)
    y = (x + shift) - shift
    y = select(absolute(y) > LARGEST_SINGLE, x * LARGEST, y)
    # what is 0 keeps its sign; infinity and NaN remain
    y = select(y == 0.0, x * 0.0, y)
    return select(absolute(x) <= LARGEST, y, x)


# ---------------------------------------------------------------- over several values


@kernel
def several_operands(d, k, op, n):
    """Choice among operands, a * b + c, or a sum or its like over each of n rows.

    The words of a reduction are: target, rows, first value, step between rows, length of a row,
    step in a row, 1 for single precision.
    """
    v, target = d.bytecode_value, d.bytecode_word[k + 1]
    a, da = d.bytecode_word[k + 3], d.bytecode_word[k + 4]
    b, db = d.bytecode_word[k + 5], d.bytecode_word[k + 6]
    c, dc = d.bytecode_word[k + 7], d.bytecode_word[k + 8]
    for i in range(n):
        first = a + i * da
        # three operands, or a row of values
        if op == WHERE:
            v[target + i] = select(v[first] != 0.0, v[b + i * db], v[c + i * dc])
        elif op == SUM:
            v[target + i] = sum_in_blocks(v, first, b, db, c)
        elif op == SUM_IN_ORDER:
            v[target + i] = sum_in_order(v, first, 0, b, db, c)
        elif op == FMA:
            v[target + i] = fma(v[first], v[b + i * db], v[c + i * dc])
        else:
            result = v[first]
            for j in range(1, b):
                x = v[first + j * db]
                if op == ALL:
                    result = result * x
                elif op == ANY or op == MAX:
                    result = larger(result, x)
                elif op == MIN:
                    result = smaller(result, x)
            v[target + i] = result


@kernel
def plus(x, y, single):
    """A sum, rounded to single precision if it is one of such numbers."""
    total = x + y
    if single:
        total = to_single(total)
    return total


@kernel
def sum_in_order(v, first, start, n, step, single):
    """Sum of the numbers from `start` on, one after the other."""
    total = v[first + start * step]
    for j in range(start + 1, n):
        total = plus(total, v[first + j * step], single)
    return total


@kernel
def sum_in_blocks(v, first, n, step, single):
    """Sum of at most 128 numbers in numpy's order: eight side by side, then the rest."""
    if n < BLOCK:
        return sum_in_order(v, first, 0, n, step, single)
    s0, s1, s2, s3 = v[first], v[first + step], v[first + 2 * step], v[first + 3 * step]
    s4, s5 = v[first + 4 * step], v[first + 5 * step]
    s6, s7 = v[first + 6 * step], v[first + 7 * step]
    j = BLOCK
    while j < n - n % BLOCK:
        at = first + j * step
        s0, s1 = plus(s0, v[at], single), plus(s1, v[at + step], single)
        s2, s3 = plus(s2, v[at + 2 * step], single), plus(s3, v[at + 3 * step], single)
        s4, s5 = plus(s4, v[at + 4 * step], single), plus(s5, v[at + 5 * step], single)
        s6, s7 = plus(s6, v[at + 6 * step], single), plus(s7, v[at + 7 * step], single)
        j += BLOCK
    low = plus(plus(s0, s1, single), plus(s2, s3, single), single)
    high = plus(plus(s4, s5, single), plus(s6, s7, single), single)
    total = plus(low, high, single)
    while j < n:
        total = plus(total, v[first + j * step], single)
        j += 1
    return total


# ---------------------------------------------------------------- memory


@kernel
def load_field(m, d, k, n):
    """Copy n elements of a field, found by its slot, from an element on."""
    values = reals_at(record_word(d, d.bytecode_word[k + 4]))
    source = reals_at(record_word(d, d.bytecode_word[k + 3]))
    start, target = d.bytecode_word[k + 5] * m.width, d.bytecode_word[k + 1] * m.width
    for i in range(n * m.width):
        values[target + i] = source[start + i]


@kernel
def gather_values(d, k, n):
    """Put n values that stand anywhere one after the other; their numbers are a list of words."""
    v, target, numbers = d.bytecode_value, d.bytecode_word[k + 1], d.bytecode_word[k + 3]
    for i in range(n):
        v[target + i] = v[d.bytecode_word[numbers + i]]


@kernel
def look_up(m, d, k, n):
    """Numbers of a table, shared by all worlds, at n indices; those beyond its ends count as there.

    The words are: target, indices, first index, its step, the table's place from the anchor, the
    number of its last element, slot of the values.
    """
    values = reals_at(record_word(d, d.bytecode_word[k + 7]))
    a, da, target = d.bytecode_word[k + 3], d.bytecode_word[k + 4], d.bytecode_word[k + 1]
    place, last = d.bytecode_word[k + 5], d.bytecode_word[k + 6]
    for i in range(n):
        for lane in range(m.width):
            # NaN is not above 0
            x, index = values[(a + i * da) * m.width + lane], 0
            if x >= last:
                index = last
            elif x > 0.0:
                index = int(x)
            values[(target + i) * m.width + lane] = d.bytecode_double[place + index]


@kernel
def set_field(m, d, k, n):
    """Have n elements of a field of the pack be values, from an element on.

    The words are: 0, elements, first value, its step, slot of the field, first element.
    """
    target = reals_at(record_word(d, d.bytecode_word[k + 5]))
    a, da, start = d.bytecode_word[k + 3], d.bytecode_word[k + 4], d.bytecode_word[k + 6]
    for i in range(n):
        for lane in range(m.width):
            value = get_lane(d.bytecode_value, a + i * da, lane)
            target[(start + i) * m.width + lane] = value


@kernel
def store_results(m, d, k, op, n):
    """Write n values into each world's row of an array of the user's.

    The words are: number of the array, columns, first value, its step, size of a row, first column.
    """
    place = d.bytecode_place[d.bytecode_word[k + 1]] + d.bytecode_word[k + 6]
    a, da, size = d.bytecode_word[k + 3], d.bytecode_word[k + 4], d.bytecode_word[k + 5]
    for lane in range(m.width):
        row = place + size * int(get_lane(d.bytecode_world, 0, lane))
        if op == STORE_DOUBLE:
            for i in range(n):
                d.bytecode_double[row + i] = get_lane(d.bytecode_value, a + i * da, lane)
        elif op == STORE_SINGLE:
            for i in range(n):
                d.bytecode_single[row + i] = get_lane(d.bytecode_value, a + i * da, lane)
        elif op == STORE_LONG:
            for i in range(n):
                d.bytecode_long[row + i] = int(get_lane(d.bytecode_value, a + i * da, lane))
        else:
            for i in range(n):
                d.bytecode_byte[row + i] = int(get_lane(d.bytecode_value, a + i * da, lane))


run_functions = variant(run_bytecode, elementary=elementary_function)
run_functions.__name__ = run_functions.__qualname__ = "run_functions"
