"""Scratch of box-box collision."""

from ..fields import table

BOX_SLOTS = 12  # contacts of a pair that there is room for

BOX_DATA = table("""
box_count        real  1           points in the list
box_new          real  5           point to append, distance; 1: the lane appends it
box_point        real  72          points, at most 24
box_dist         real  24          distances (m)
box_good         real  24          1: the point is kept
""")
