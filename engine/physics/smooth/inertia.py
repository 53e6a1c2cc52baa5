"""Centers of mass, the joint-space inertia matrix, its factorization, and products with both.

Symmetric matrices over dofs are stored by rows of their lower triangle: row i holds the columns
`colind[rowadr[i] : rowadr[i] + rownnz[i]]` in increasing order, the diagonal last. The columns of a
row are ancestors in the kinematic tree (or, in the dense layout, all smaller dofs), so the row of
an ancestor is a prefix of the row of its descendants. Elimination from the last dof to the first
then creates no fill-in: L'DL of Featherstone, Rigid Body Dynamics Algorithms, section 6.5.
"""

from ...simd.kernel import kernel
from ...simd.lanes import (
    add_block,
    fma,
    load3,
    load6,
    load9,
    load10,
    select,
    store,
    zero_like,
)
from ...simd.spatial import cross, dot6, mul_inertia, scale3, sub3
from ...tables.enums import JNT_BALL, JNT_FREE, JNT_SLIDE, MINVAL
from .all_of import body_at, count_bodies, count_dofs, dof_at, is_computed


@kernel
def com_pos(m, d):
    """Subtree centers of mass; spatial inertias and joint axes about those of whole trees.

    Reads: xipos, ximat, xmat, xanchor, xaxis.
    Writes: subtree_com (m), cinert (kg m^2, kg m, kg), cdof.
    """
    # mass moments of bodies, then of subtrees
    for k in range(count_bodies(m, d)):
        body = body_at(m, d, k)
        store(d.subtree_com, body, scale3(load3(d.xipos, body), m.body_mass[body]))
    sum_moments(m, d)
    # centers of mass
    for k in range(count_bodies(m, d)):
        body = body_at(m, d, k)
        mass = m.body_subtreemass[body]
        massless = mass < MINVAL
        com, pos = load3(d.subtree_com, body), load3(d.xipos, body)
        s = 1.0 / select(massless, 1.0, mass)
        for i in range(3):
            d.subtree_com[3 * body + i] = select(massless, pos[i], com[i] * s)
    # inertias and joint axes; the first body is the world
    zero = zero_like(d.cinert)
    for k in range(10):
        d.cinert[k] = zero
    for k in range(1, count_bodies(m, d)):
        body = body_at(m, d, k)
        store(d.cinert, body, body_inertia(m, d, body))
    place_axes(m, d)


@kernel
def sum_moments(m, d):
    """Mass moments of bodies to those of subtrees, in subtree_com."""
    for body in range(m.nbody - 1, 0, -1):
        add_block(d.subtree_com, m.body_parentid[body], load3(d.subtree_com, body))


@kernel
def place_axes(m, d):
    """Motion axes of the dofs of all joints."""
    for jnt in range(m.njnt):
        joint_axes(m, d, jnt)


@kernel
def body_inertia(m, d, body):
    """Spatial inertia of one body about the center of mass of its tree, world orientation."""
    r = load9(d.ximat, body)
    moments, mass = load3(m.body_inertia, body), m.body_mass[body]
    o = sub3(load3(d.xipos, body), load3(d.subtree_com, m.body_rootid[body]))
    a = (r[0] * moments[0], r[1] * moments[1], r[2] * moments[2])
    b = (r[3] * moments[0], r[4] * moments[1], r[5] * moments[2])
    c = (r[6] * moments[0], r[7] * moments[1], r[8] * moments[2])
    return (
        a[0] * r[0] + a[1] * r[1] + a[2] * r[2] + mass * (o[1] * o[1] + o[2] * o[2]),
        b[0] * r[3] + b[1] * r[4] + b[2] * r[5] + mass * (o[0] * o[0] + o[2] * o[2]),
        c[0] * r[6] + c[1] * r[7] + c[2] * r[8] + mass * (o[0] * o[0] + o[1] * o[1]),
        a[0] * r[3] + a[1] * r[4] + a[2] * r[5] - mass * (o[0] * o[1]),
        a[0] * r[6] + a[1] * r[7] + a[2] * r[8] - mass * (o[0] * o[2]),
        b[0] * r[6] + b[1] * r[7] + b[2] * r[8] - mass * (o[1] * o[2]),
        mass * o[0],
        mass * o[1],
        mass * o[2],
        mass + 0.0 * o[0],
    )


@kernel
def joint_axes(m, d, jnt):
    """Motion axes of the dofs of one joint, about the center of mass of its tree."""
    dof, kind, body = m.jnt_dofadr[jnt], m.jnt_type[jnt], m.jnt_bodyid[jnt]
    zero = zero_like(d.cdof)
    if kind == JNT_SLIDE:
        axis = load3(d.xaxis, jnt)
        store(d.cdof, dof, (zero, zero, zero, axis[0], axis[1], axis[2]))
    else:
        offset = sub3(load3(d.subtree_com, m.body_rootid[body]), load3(d.xanchor, jnt))
        # translations along the global axes
        if kind == JNT_FREE:
            one = zero + 1.0
            store(d.cdof, dof, (zero, zero, zero, one, zero, zero))
            store(d.cdof, dof + 1, (zero, zero, zero, zero, one, zero))
            store(d.cdof, dof + 2, (zero, zero, zero, zero, zero, one))
            dof += 3
        # rotations about the axes of the body
        if kind == JNT_FREE or kind == JNT_BALL:
            for k in range(3):
                axis = (d.xmat[9 * body + k], d.xmat[9 * body + 3 + k], d.xmat[9 * body + 6 + k])
                lever = cross(axis, offset)
                store(d.cdof, dof + k, (axis[0], axis[1], axis[2], lever[0], lever[1], lever[2]))
        else:
            axis = load3(d.xaxis, jnt)
            lever = cross(axis, offset)
            store(d.cdof, dof, (axis[0], axis[1], axis[2], lever[0], lever[1], lever[2]))


@kernel
def make_m(m, d):
    """Joint-space inertia matrix by the composite rigid body algorithm.

    A dof whose inertia never changes (`dof_simplenum`) has a row of its constant diagonal alone.

    Reads: cinert, cdof.
    Writes: crb, M (lower triangle by rows; kg, kg m, kg m^2).
    """
    start_composites(m, d)
    for k in range(count_bodies(m, d) - 1, 0, -1):
        body = body_at(m, d, k)
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.crb, parent, load10(d.crb, body))
    for k in range(count_dofs(m, d)):
        inertia_row(m, d, dof_at(m, d, k))


@kernel
def start_composites(m, d):
    """Inertias of bodies, to which those of their children are added."""
    for k in range(10 * m.nbody):
        d.crb[k] = d.cinert[k]


@kernel
def inertia_row(m, d, dof):
    """One row of the joint-space inertia matrix."""
    adr = m.M_rowadr[dof]
    if m.dof_simplenum[dof] > 0:
        d.M[adr] = zero_like(d.M) + m.dof_M0[dof]
    else:
        diagonal = adr + m.M_rownnz[dof] - 1
        force = mul_inertia(load10(d.crb, m.dof_bodyid[dof]), load6(d.cdof, dof))
        d.M[diagonal] = m.dof_armature[dof] + dot6(load6(d.cdof, dof), force)
        for k in range(adr, diagonal):
            d.M[k] = dot6(load6(d.cdof, m.M_colind[k]), force)


@kernel
def scatter_qm(m, d):
    """The inertia matrix in MuJoCo's older layout: each row from the diagonal to the root.

    Reads: M.
    Writes: qM.
    """
    zero = zero_like(d.M)
    for k in range(m.nM):
        d.qM[k] = zero
    for k in range(m.nC):
        d.qM[m.mapM2M[k]] = d.M[k]


@kernel
def factor_m(m, d):
    """L'DL factorization of the inertia matrix.

    Reads: M.
    Writes: qLD, qLDiagInv.
    """
    for tree in range(m.ntree):
        if is_computed(m, d, tree):
            first = m.tree_dofadr[tree]
            end = first + m.tree_dofnum[tree]
            last = m.M_rowadr[end - 1] + m.M_rownnz[end - 1]
            for k in range(m.M_rowadr[first], last):
                d.qLD[k] = d.M[k]
            factor_span(d.qLD, d.qLDiagInv, first, end, m.M_rownnz, m.M_rowadr, m.M_colind)


@kernel
def factor_rows(a, diaginv, n, rownnz, rowadr, colind):
    """In-place L'DL of a matrix in the row layout of this module; 1/D goes to diaginv."""
    factor_span(a, diaginv, 0, n, rownnz, rowadr, colind)


@kernel
def factor_span(a, diaginv, first, last, rownnz, rowadr, colind):
    """As `factor_rows`, for the dofs of one tree: from first to before last.

    A dof and its parent are eliminated together where they are neighbours, which takes half the
    loads and stores of the rows above, and the same operations in the same order.
    """
    i = last - 1
    while i >= first:
        start, n = rowadr[i], rownnz[i] - 1
        if n > 0 and colind[start + n - 1] == i - 1:
            eliminate_two(a, diaginv, i, n, rowadr, colind)
            i -= 2
        else:
            eliminate_one(a, diaginv, i, n, rowadr, colind)
            i -= 1


@kernel
def eliminate_one(a, diaginv, i, n, rowadr, colind):
    """Eliminate dof i, with n dofs above it."""
    start = rowadr[i]
    inverse = 1.0 / a[start + n]
    diaginv[i] = inverse
    for k in range(n):
        # row of the ancestor -= scale * the same part of row i
        target, scale = rowadr[colind[start + k]], -(a[start + k] * inverse)
        for c in range(k + 1):
            a[target + c] = fma(scale, a[start + c], a[target + c])
    for k in range(start, start + n):
        a[k] = a[k] * inverse


@kernel
def eliminate_two(a, diaginv, i, n, rowadr, colind):
    """Eliminate dof i, with n dofs above it, and its parent i - 1."""
    start, other = rowadr[i], rowadr[i - 1]
    inverse = 1.0 / a[start + n]
    scale = -(a[start + n - 1] * inverse)
    # the pivot first: the division by it takes longest
    pivot = fma(scale, a[start + n - 1], a[other + n - 1])
    a[other + n - 1] = pivot
    inverse_other = 1.0 / pivot
    for c in range(n - 1):
        a[other + c] = fma(scale, a[start + c], a[other + c])
    diaginv[i], diaginv[i - 1] = inverse, inverse_other
    for k in range(n - 1):
        target = rowadr[colind[start + k]]
        scale, scale_other = -(a[start + k] * inverse), -(a[other + k] * inverse_other)
        for c in range(k + 1):
            x = fma(scale, a[start + c], a[target + c])
            a[target + c] = fma(scale_other, a[other + c], x)
    for k in range(start, start + n):
        a[k] = a[k] * inverse
    for k in range(other, other + n - 1):
        a[k] = a[k] * inverse_other


@kernel
def solve_rows(x, a, diaginv, n, rownnz, rowadr, colind):
    """Solve in place with the factorization of `factor_rows`."""
    solve_span(x, a, diaginv, 0, n, rownnz, rowadr, colind)


@kernel
def solve_span(x, a, diaginv, first, last, rownnz, rowadr, colind):
    """As `solve_rows`, for the dofs of one tree: from first to before last."""
    i = last - 1
    while i >= first:
        if i > first and follows_parent(i, rownnz, rowadr, colind):
            lift_two(x, a, i - 1, rownnz, rowadr, colind)
            i -= 2
        else:
            lift_one(x, a, i, rownnz, rowadr, colind)
            i -= 1
    i = first
    while i < last:
        if i + 1 < last and follows_parent(i + 1, rownnz, rowadr, colind):
            lower_two(x, a, diaginv, i, rownnz, rowadr, colind)
            i += 2
        else:
            lower_one(x, a, diaginv, i, rownnz, rowadr, colind)
            i += 1


# A dof and its parent are taken together where they are neighbours: half the loads and stores of
# what the rows have in common, which waits for them, and the same operations in the same order.


@kernel
def follows_parent(i, rownnz, rowadr, colind):
    """True if the dof before dof i is its parent."""
    n = rownnz[i]
    return n > 1 and colind[rowadr[i] + n - 2] == i - 1


@kernel
def lift_one(x, a, i, rownnz, rowadr, colind):
    """x -= row i of L, transposed, times x[i]."""
    xi, start = -x[i], rowadr[i]
    for k in range(start, start + rownnz[i] - 1):
        x[colind[k]] = fma(a[k], xi, x[colind[k]])


@kernel
def lift_two(x, a, i, rownnz, rowadr, colind):
    """`lift_one` of dof i + 1, then of its parent i."""
    start, other, n = rowadr[i], rowadr[i + 1], rownnz[i] - 1
    xother = -x[i + 1]
    above = fma(a[other + n], xother, x[i])
    x[i] = above
    xi = -above
    for k in range(n):
        j = colind[start + k]
        x[j] = fma(a[start + k], xi, fma(a[other + k], xother, x[j]))


@kernel
def lower_one(x, a, diaginv, i, rownnz, rowadr, colind):
    """x[i] = x[i] / D - row i of L times x."""
    xi, start = x[i] * diaginv[i], rowadr[i]
    for k in range(start, start + rownnz[i] - 1):
        xi = fma(-a[k], x[colind[k]], xi)
    x[i] = xi


@kernel
def lower_two(x, a, diaginv, i, rownnz, rowadr, colind):
    """`lower_one` of dof i, then of its child i + 1."""
    start, other, n = rowadr[i], rowadr[i + 1], rownnz[i] - 1
    xi, xother = x[i] * diaginv[i], x[i + 1] * diaginv[i + 1]
    for k in range(n):
        xj = x[colind[start + k]]
        xi = fma(-a[start + k], xj, xi)
        xother = fma(-a[other + k], xj, xother)
    x[i] = xi
    x[i + 1] = fma(-a[other + n], xi, xother)


@kernel
def mul_rows(result, a, x, n, rownnz, rowadr, colind):
    """result = A x for a symmetric A in the row layout of this module."""
    i = 0
    while i < n:
        if i + 1 < n and follows_parent(i + 1, rownnz, rowadr, colind):
            mul_two(result, a, x, i, rownnz, rowadr, colind)
            i += 2
        else:
            mul_one(result, a, x, i, rownnz, rowadr, colind)
            i += 1


@kernel
def mul_listed(result, a, x, dofs, first, end, rownnz, rowadr, colind):
    """As `mul_rows`, for the dofs in a range of a list of whole trees, in increasing order."""
    k = first
    while k < end:
        i = dofs[k]
        if k + 1 < end and follows_parent(dofs[k + 1], rownnz, rowadr, colind):
            mul_two(result, a, x, i, rownnz, rowadr, colind)
            k += 2
        else:
            mul_one(result, a, x, i, rownnz, rowadr, colind)
            k += 1


@kernel
def mul_one(result, a, x, i, rownnz, rowadr, colind):
    """What row i, and the column below its diagonal, add to a product."""
    start, n, xi = rowadr[i], rownnz[i] - 1, x[i]
    s = a[start + n] * xi
    for k in range(start, start + n):
        j = colind[k]
        s = fma(a[k], x[j], s)
        result[j] = fma(a[k], xi, result[j])
    result[i] = s


@kernel
def mul_two(result, a, x, i, rownnz, rowadr, colind):
    """`mul_one` of dof i, then of its child i + 1."""
    start, other, n = rowadr[i], rowadr[i + 1], rownnz[i] - 1
    xi, xother = x[i], x[i + 1]
    s, sother = a[start + n] * xi, a[other + n + 1] * xother
    for k in range(n):
        j = colind[start + k]
        left, right, xj = a[start + k], a[other + k], x[j]
        s, sother = fma(left, xj, s), fma(right, xj, sother)
        result[j] = fma(right, xother, fma(left, xi, result[j]))
    between = a[other + n]
    result[i] = fma(between, xother, s)
    result[i + 1] = fma(between, xi, sother)


@kernel
def add_outer(a, rownnz, rowadr, colind, values, index, adr, n, weight, row):
    """a += weight * v v', where the layout of a has an element for it.

    Args:
        a: matrix over dofs, by rows that list their columns.
        values, index, adr, n: elements of v, n of them from `adr` on, and their dofs. Where a dof
            stands twice, v has the sum.
        weight: real.
        row: scratch over dofs, zero before and after.
    """
    zero = zero_like(row)
    for k in range(adr, adr + n):
        row[index[k]] = row[index[k]] + values[k]
    for k in range(adr, adr + n):
        i, scaled = index[k], weight * values[k]
        for c in range(rowadr[i], rowadr[i] + rownnz[i]):
            a[c] = fma(scaled, row[colind[c]], a[c])
    for k in range(adr, adr + n):
        row[index[k]] = zero


@kernel
def solve_listed(x, a, diaginv, dofs, first, end, rownnz, rowadr, colind):
    """As `solve_rows`, for the dofs in a range of a list of whole trees, in increasing order."""
    k = end - 1
    while k >= first:
        i = dofs[k]
        if k > first and follows_parent(i, rownnz, rowadr, colind):
            lift_two(x, a, i - 1, rownnz, rowadr, colind)
            k -= 2
        else:
            lift_one(x, a, i, rownnz, rowadr, colind)
            k -= 1
    k = first
    while k < end:
        i = dofs[k]
        if k + 1 < end and follows_parent(dofs[k + 1], rownnz, rowadr, colind):
            lower_two(x, a, diaginv, i, rownnz, rowadr, colind)
            k += 2
        else:
            lower_one(x, a, diaginv, i, rownnz, rowadr, colind)
            k += 1
