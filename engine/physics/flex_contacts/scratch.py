"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

FLEX_CONTACT_DATA = table("""
midpair_groupadr          int   nfcongroup    first pair of the mid phase of a group
midpair_groupnum          int   nfcongroup    its pairs of the mid phase
midpair_kind        int   nmidpair          narrow phase
midpair_side        int   nmidpair*2        the two sides
midpair_part        int   nmidpair*2        their parts; 0: of a geom
midpair_adr         int   nmidpair          first contact
tree_stack       int   nfconstack*2  pairs of nodes that are still to be looked at
tree_turn        scalar 36            axes of two trees in each other
tree_shift       scalar 12            their places along these axes (m)
end_value        scalar nelemend      ends of their boxes, in single precision (m)
end_elem         int   nelemend       their elements
end_order        int   nelemend       ends in order
end_next         int   nelemend       the same while they are being sorted
end_bucket       int   nelemend       bucket of an end, by its value
end_first        int   nelemend       where the ends of a bucket begin in order
end_begun        int   nelemend       elements that have begun; -1: it has ended since
end_place        int   nelemend       place of an element among these
end_bound        scalar nelemend*4    their ends along the two other axes (m)
end_body         scalar nelemend*4    bodies of their vertices
rod_pos          scalar 2*3           middle of an edge of each side (m)
rod_axis         scalar 2*3           its direction
rod_size         scalar 2*2           its radius and half its length (m)
tip_pos          scalar 2*12          vertices of an element of each side (m)
fcon_on         int   nfcon         1: there is a contact
fcon_midpair       int   nfcon         pair of the mid phase
fcon_elem       int   nfcon         element, where a pair is that of a whole sheet; -1: as met
fcon_dist       real  nfcon         distance (m)
fcon_pos        real  nfcon*3       midpoint (m)
fcon_normal     real  nfcon*3       normal
fcon_far        real  nfcon         squared distance from those that are kept (m^2)
fcon_kept       int   nfcon         1: a place is taken
fcon_order      int   nfcon         contacts of all groups in contact order
fcon_group      int   nfcon         the same: group
moved_num         int   nkept          the same: bodies that it moves
moved_body        int   nkept*nfconpart  these bodies
moved_weight      real  nkept*nfconpart  how much they take part, first side negative
moved_pair        int   nkept          1: one body on each side, so that dofs of both count for none
moved_inertia     real  nkept          approximate inverse inertia of both sides
moved_dof         int   nfconpart     last dof of each body that is not yet in the chain
""")

FLEX_CONTACT_MODEL = table("""
nfcongroup      size  -              groups
nfconpart       size  -              most bodies that a contact moves
nfconstack      size  -              nodes of two trees
nelemend         size  -              ends of all elements of a deformable
group_how        int   nfcongroup    how it is searched
group_body       int   nfcongroup    body
group_geom       int   nfcongroup    geom; -1: all of the body
group_other      int   nfcongroup    deformable instead of a body; -1: none
group_flex       int   nfcongroup    deformable that may touch it
group_sorted     int   nfcongroup    1: its contacts are sorted by what they touch
group_low        int   nfcongroup    where its contacts stand among others: by the smaller number
group_high       int   nfcongroup    and the larger number of body or nbody + deformable
elem_kind        int   36             narrow phase of a type of geom and a dimension; -1: none
""")
