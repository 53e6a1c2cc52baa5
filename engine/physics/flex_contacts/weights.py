"""Weights of bodies in contacts of deformables.

A point of an element moves with its vertices by the inverses of their distances; a vertex moves
with its body, or with the nodes of its cell by their functions (documentation of MuJoCo, chapter
Computation, section Deformable).
"""

from ...simd.kernel import kernel
from ...simd.lanes import floor, load3, sqrt
from ...simd.spatial import addscl3, plain_dot, sub3
from ...tables.enums import COUNT_KEPT, MINVAL
from ..flex.kinematics import basis, node_at, order_of
from .midphase_pairs import part_of

LEAST = 1e-5  # weight of a node below which it does not count


@kernel
def weigh_flex_contacts(m, d):
    """Bodies that each contact moves, and their weights.

    Reads: midpair_side, midpair_part, fcon_*, flexvert_xpos.
    Writes: moved_num, moved_body, moved_weight, moved_inertia, moved_pair.
    """
    for k in range(d.count[COUNT_KEPT]):
        fcon = d.fcon_order[k]
        side1 = d.midpair_side[2 * d.fcon_midpair[fcon]]
        side2 = d.midpair_side[2 * d.fcon_midpair[fcon] + 1]
        part1, part2 = part_of(d, fcon, 0), part_of(d, fcon, 1)
        weigh_contact(m, d, k, side1, part1, side2, part2, load3(d.fcon_pos, fcon))


@kernel
def weigh_contact(m, d, k, side1, part1, side2, part2, pos):
    """Enter the bodies of both sides of contact k; those of the first count negative."""
    d.moved_inertia[k] = 0.0
    d.moved_pair[k] = 1 if is_one_body(m, side1, part1) and is_one_body(m, side2, part2) else 0
    n = weigh_side(m, d, k, 0, side1, part1, part2, pos, 0)
    d.moved_num[k] = weigh_side(m, d, k, n, side2, part2, part1, pos, 1)


@kernel
def is_one_body(m, thing, part):
    """True if a side moves with one body: a geom, or a vertex that follows no nodes."""
    return thing >= 0 or (part < 0 and not m.flex_interp[-1 - thing])


@kernel
def weigh_side(m, d, k, n, thing, part, other, pos, side):
    """Enter the bodies of one side of contact k behind n others; returns how many there are.

    Args:
        thing: the side, a geom or a deformable.
        part: its part.
        other: part of the other side.
        pos: of the contact (m).
        side: 0 the first, 1 the second.
    """
    sign, at = 2.0 * side - 1.0, k * m.nfconpart
    if thing >= 0:
        d.moved_body[at + n], d.moved_weight[at + n] = m.geom_bodyid[thing], sign
        add_inertia(m, d, k, at + n, at + n + 1)
        return n + 1
    f = -1 - thing
    if part < 0:
        # a vertex: its body, or the nodes of its cell
        v = m.flex_vertadr[f] - 1 - part
        if m.flex_interp[f]:
            return weigh_nodes(m, d, k, n, f, load3(m.flex_vert0, v), side)
        d.moved_body[at + n], d.moved_weight[at + n] = m.flex_vertbodyid[v], sign
        add_inertia(m, d, k, at + n, at + n + 1)
        return n + 1
    return weigh_element(m, d, k, n, f, part, other, pos, side)


@kernel
def add_inertia(m, d, k, start, end):
    """Add the inverse inertia of the bodies in a range of places to that of contact k."""
    for place in range(start, end):
        weight = d.moved_weight[place]
        inertia = m.body_invweight0[2 * d.moved_body[place]]
        d.moved_inertia[k] = d.moved_inertia[k] + inertia * (weight if weight > 0.0 else -weight)


@kernel
def weigh_element(m, d, k, n, f, e, other, pos, side):
    """Enter the bodies of an element, but not that of a vertex which is the other side."""
    dim, first = m.flex_dim[f], m.flex_vertadr[f]
    adr, start = m.flex_elemdataadr[f] + e * (dim + 1), k * m.nfconpart + n
    # inverse distances, and their sum
    total, end = 0.0, start
    for i in range(dim + 1):
        if other != -1 - m.flex_elem[adr + i]:
            v = first + m.flex_elem[adr + i]
            way = sub3(pos, load3(d.flexvert_xpos, v))
            d.moved_body[end] = v
            d.moved_weight[end] = 1.0 / max(MINVAL, sqrt(plain_dot(way, way)))
            total = total + d.moved_weight[end]
            end += 1
    # weights, and the place that they mean in the unit box
    place = (0.0, 0.0, 0.0)
    for i in range(start, end):
        v, weight = d.moved_body[i], d.moved_weight[i] * (1.0 / total)
        place = addscl3(place, load3(m.flex_vert0, v), weight)
        d.moved_body[i], d.moved_weight[i] = m.flex_vertbodyid[v], weight if side else -weight
    if m.flex_interp[f]:
        return weigh_nodes(m, d, k, n, f, place, side)
    add_inertia(m, d, k, start, end)
    return n + end - start


@kernel
def cell_of(place, count):
    """Cell along an axis that holds a place from 0 to 1, and the place in it."""
    scaled = place * count
    cell = max(0, min(int(floor(scaled)), count - 1))
    return cell, max(0.0, min(scaled - cell, 1.0))


@kernel
def weigh_nodes(m, d, k, n, f, place, side):
    """Enter the bodies of the nodes of the cell that holds a place in the unit box.

    Of the first side, MuJoCo takes the place with the other sign, which lies outside: it then moves
    with the corner of the box, and the same way. Only its inertia is that of the place itself.
    """
    start = k * m.nfconpart + n
    end = enter_nodes(m, d, k, n, f, place)
    add_inertia(m, d, k, start, k * m.nfconpart + end)
    if side == 0:
        end = enter_nodes(m, d, k, n, f, (-place[0], -place[1], -place[2]))
    return end


@kernel
def enter_nodes(m, d, k, n, f, place):
    """Enter the nodes of a cell behind n others; returns how many there are then."""
    order, start = order_of(m, f), k * m.nfconpart + n
    ci, x = cell_of(place[0], m.flex_cellnum[3 * f])
    cj, y = cell_of(place[1], m.flex_cellnum[3 * f + 1])
    ck, z = cell_of(place[2], m.flex_cellnum[3 * f + 2])
    at = start
    for i in range(order + 1):
        for j in range(order + 1):
            for l in range(order + 1):
                weight = basis(z, l, order) * basis(y, j, order) * basis(x, i, order)
                if weight >= LEAST:
                    node = node_at(m, f, ci * order + i, cj * order + j, ck * order + l)
                    d.moved_body[at] = m.flex_nodebodyid[m.flex_nodeadr[f] + node]
                    d.moved_weight[at] = weight
                    at += 1
    return n + at - start
