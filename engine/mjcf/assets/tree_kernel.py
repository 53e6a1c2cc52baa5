"""The bounding volume tree of a mesh, node by node, compiled; see mesh_tree.py.

The halves of a node are those of libc++'s `std::nth_element`: triangles without area have no
circumcentre, and where one of them is compared with another triangle their numbers decide, which
makes no order, so that the halves depend on the algorithm.
"""

from ...simd.kernel import kernel
from ...simd.lanes import sqrt
from ...simd.spatial import cross
from ..geometry.pose import EPS

SMALL = 7  # up to this many items are sorted


@kernel
def build_tree(q):
    """Enter all nodes, depth first; `order` holds the triangles, and `key` what is compared."""
    for i in range(q.nface):
        q.order[i] = i
        if q.ncorner > 0:
            enter_triangle(q, i)
    put_node(q, 0, 0, 0, q.nface, 0)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, first = q.stack[4 * waiting], q.stack[4 * waiting + 1]
        count, depth = q.stack[4 * waiting + 2], q.stack[4 * waiting + 3]
        q.depth[node], q.leaf[node] = depth, -1
        q.child[2 * node], q.child[2 * node + 1] = -1, -1
        axis = enter_box(q, node, first, count)
        if count == 1:
            q.leaf[node] = q.order[first]
            continue
        for i in range(first, first + count):
            q.key[i] = q.centre[3 * q.order[i] + axis]
        left = count // 2
        select_nth(q, first, first + count, first + left)
        q.child[2 * node], q.child[2 * node + 1] = node + 1, node + 2 * left
        put_node(q, waiting, node + 2 * left, first + left, count - left, depth + 1)
        put_node(q, waiting + 1, node + 1, first, left, depth + 1)
        waiting += 2


@kernel
def enter_triangle(q, face):
    """Enter the box of a triangle, and the centre of the circle through its corners."""
    a, b, c = corner(q, face, 0), corner(q, face, 1), corner(q, face, 2)
    for k in range(3):
        x, y, z = component(a, k), component(b, k), component(c, k)
        low, high = y if y < x else x, y if y > x else x
        low, high = z if z < low else low, z if z > high else high
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        q.low[3 * face + k], q.high[3 * face + k] = middle - half, middle + half
    a = (a[0] - c[0], a[1] - c[1], a[2] - c[2])
    b = (b[0] - c[0], b[1] - c[1], b[2] - c[2])
    normal = cross(a, b)
    area = sqrt(dot(normal, normal))
    aa, bb = dot(a, a), dot(b, b)
    towards = cross((aa * b[0] - bb * a[0], aa * b[1] - bb * a[1], aa * b[2] - bb * a[2]), normal)
    scale = 2.0 * area * area
    for k in range(3):
        q.centre[3 * face + k] = component(towards, k) / scale + component(c, k)


@kernel
def corner(q, face, k):
    """Corner k of a triangle."""
    vertex = q.face[3 * face + k]
    return (q.point[3 * vertex], q.point[3 * vertex + 1], q.point[3 * vertex + 2])


@kernel
def component(v, k):
    """Component k of a vector."""
    return v[0] if k == 0 else v[1] if k == 1 else v[2]


@kernel
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def put_node(q, place, node, first, count, depth):
    """Put a node on the stack."""
    q.stack[4 * place], q.stack[4 * place + 1] = node, first
    q.stack[4 * place + 2], q.stack[4 * place + 3] = count, depth


@kernel
def enter_box(q, node, first, count):
    """Enter the box of a node; its longest axis, the first of those that hardly differ."""
    axis, longest = 0, 0.0
    for k in range(3):
        low, high = q.low[3 * q.order[first] + k], q.high[3 * q.order[first] + k]
        for i in range(first + 1, first + count):
            a, b = q.low[3 * q.order[i] + k], q.high[3 * q.order[i] + k]
            low = a if a < low else low
            high = b if b > high else high
        gap = high - low
        if gap < EPS:
            low, high = low - EPS, high + EPS
        q.box[6 * node + k], q.box[6 * node + 3 + k] = (high + low) / 2.0, (high - low) / 2.0
        if k == 0 or high - low >= longest + EPS:
            axis, longest = k, high - low
    return axis


@kernel
def less(q, i, j):
    """True if an item is less than another; numbers decide where the keys hardly differ."""
    return less_than(q, i, q.key[j], q.order[j])


@kernel
def less_than(q, i, key, number):
    """True if an item is less than a key with a number."""
    gap = q.key[i] - key
    if gap > EPS or gap < -EPS:
        return gap < 0.0
    return q.order[i] < number


@kernel
def swap(q, i, j):
    """Exchange two items."""
    key, number = q.key[i], q.order[i]
    q.key[i], q.order[i] = q.key[j], q.order[j]
    q.key[j], q.order[j] = key, number


@kernel
def select_nth(q, first, last, nth):
    """Move the items in place until the one at place `nth` is where sorting would put it."""
    while first < last and nth < last:
        # few items are sorted
        size = last - first
        if size <= SMALL:
            sort_few(q, first, last)
            return
        # median of three as pivot
        middle = first + size // 2
        swaps = sort_three(q, first, middle, last - 1)
        low, high = first, last - 1
        # the first item is not less than the pivot: something less must be put there, or all are
        # equal
        if not less(q, low, middle):
            high = last_less(q, low, high, middle)
            if high == low:
                start = skip_equal(q, first, last)
                if start < 0 or nth < start:
                    return
                first = start
                continue
            swap(q, low, high)
            swaps += 1
        # partition around the pivot
        low, middle, more = partition(q, low + 1, high, middle, last)
        swaps += more
        if low != middle and less(q, middle, low):
            swap(q, low, middle)
            swaps += 1
        # go on in the side that has place `nth`
        if nth == low:
            return
        begin, end = (first, low) if nth < low else (low, last)
        if swaps == 0 and is_sorted(q, begin, end):
            return
        first, last = (first, low) if nth < low else (low + 1, last)


@kernel
def sort_few(q, first, last):
    """Sort up to seven items: three by hand, more by selection."""
    if last - first == 3:
        sort_three(q, first, first + 1, last - 1)
        return
    for k in range(first, last - 1):
        least = k
        for i in range(k + 1, last):
            if less(q, i, least):
                least = i
        if least != k:
            swap(q, k, least)


@kernel
def sort_three(q, a, b, c):
    """Sort the items at three places; returns the number of swaps."""
    if not less(q, b, a):
        if not less(q, c, b):
            return 0
        swap(q, b, c)
        if not less(q, b, a):
            return 1
        swap(q, a, b)
        return 2
    if less(q, c, b):
        swap(q, a, c)
        return 1
    swap(q, a, b)
    if not less(q, c, b):
        return 1
    swap(q, b, c)
    return 2


@kernel
def last_less(q, low, high, middle):
    """The last place between two with an item less than a pivot; the lower one if there is none."""
    high -= 1
    while high != low and not less(q, high, middle):
        high -= 1
    return high


@kernel
def skip_equal(q, first, last):
    """Move items equal to the first one, the least, to the front; where others start, or -1."""
    low, high = first + 1, last - 1
    if not less(q, first, high):
        searching = True
        while searching:
            if low == high:
                return -1
            low += 1
            if less(q, first, low - 1):
                swap(q, low - 1, high)
                searching = False
    if low == high:
        return -1
    while True:
        while low < last and not less(q, first, low):
            low += 1
        high -= 1
        while high > first and less(q, first, high):
            high -= 1
        if low >= high:
            return low
        swap(q, low, high)
        low += 1


@kernel
def partition(q, low, high, middle, last):
    """Bring items less than the one in the middle before the others.

    Returns:
        Where the others start, where the middle one is now, the number of swaps.
    """
    swaps = 0
    if low >= high:
        return low, middle, swaps
    key, number = q.key[middle], q.order[middle]
    while True:
        while low < last and less_than(q, low, key, number):
            low += 1
        high -= 1
        while high > 0 and not less_than(q, high, key, number):
            high -= 1
        if low >= high:
            return low, middle, swaps
        swap(q, low, high)
        swaps += 1
        # the middle one may have moved
        middle = high if middle == low else middle
        low += 1


@kernel
def is_sorted(q, first, last):
    """True if no item is less than the one before it."""
    k = first + 1
    while k < last and not less(q, k, k - 1):
        k += 1
    return k >= last
