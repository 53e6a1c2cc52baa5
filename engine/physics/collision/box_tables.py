"""Scratch of box-box collision."""

from ...tables.fields import table

# all points that the search can list: where 4 edges meet 4 sides, and 4 corners of each face; a
# polygon has 8 corners at most, but rounding may list some several times
BOX_SLOTS = 24

BOX_DATA = table("""
box_count        real  1           points in the list
box_new          real  5           point to append, distance; 1: the lane appends it
box_point        real  72          points, at most 24
box_dist         real  24          distances (m)
box_good         real  24          1: the point is kept
""")
