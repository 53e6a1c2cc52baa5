"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

TOUCH_DATA = table("""
met_adr          int   ntouchgroup    first meeting of a group
met_num          int   ntouchgroup    its meetings
meet_kind        int   nmeet          narrow phase
meet_side        int   nmeet*2        the two sides
meet_part        int   nmeet*2        their parts; 0: of a geom
meet_adr         int   nmeet          first contact
tree_stack       int   ntouchstack*2  pairs of nodes that are still to be looked at
tree_turn        scalar 36            axes of two trees in each other
tree_shift       scalar 12            their places along these axes (m)
end_value        scalar nelemend      ends of their boxes, in single precision (m)
end_elem         int   nelemend       their elements
end_order        int   nelemend       ends in order
end_next         int   nelemend       the same while they are being sorted
end_begun        int   nelemend       elements that have begun and not ended
end_bound        scalar nelemend*4    their ends along the two other axes (m)
rod_pos          scalar 2*3           middle of an edge of each side (m)
rod_axis         scalar 2*3           its direction
rod_size         scalar 2*2           its radius and half its length (m)
tip_pos          scalar 2*12          vertices of an element of each side (m)
touch_on         int   ntouch         1: there is a contact
touch_meet       int   ntouch         meeting
touch_elem       int   ntouch         element, where a meeting is that of a whole sheet; -1: as met
touch_dist       real  ntouch         distance (m)
touch_pos        real  ntouch*3       midpoint (m)
touch_normal     real  ntouch*3       normal
touch_far        real  ntouch         squared distance from those that are kept (m^2)
touch_kept       int   ntouch         1: a place is taken
touch_order      int   ntouch         contacts of all groups in contact order
touch_group      int   ntouch         the same: group
moved_num         int   nkept          the same: bodies that it moves
moved_body        int   nkept*ntouchpart  these bodies
moved_weight      real  nkept*ntouchpart  how much they take part, first side negative
moved_inertia     real  nkept          approximate inverse inertia of both sides
moved_dof         int   ntouchpart     last dof of each body that is not yet in the chain
""")

TOUCH_MODEL = table("""
ntouchgroup      size  -              groups
ntouchpart       size  -              most bodies that a contact moves
ntouchstack      size  -              nodes of two trees
nelemend         size  -              ends of all elements of a deformable
group_how        int   ntouchgroup    how it is searched
group_body       int   ntouchgroup    body
group_geom       int   ntouchgroup    geom; -1: all of the body
group_other      int   ntouchgroup    deformable instead of a body; -1: none
group_flex       int   ntouchgroup    deformable that may touch it
group_sorted     int   ntouchgroup    1: its contacts are sorted by what they touch
group_low        int   ntouchgroup    where its contacts stand among others: by the smaller number
group_high       int   ntouchgroup    and the larger number of body or nbody + deformable
elem_kind        int   36             narrow phase of a type of geom and a dimension; -1: none
""")
