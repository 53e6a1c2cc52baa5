"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# list_ends.py
EXPORT_DATA = table("""
listed           real  6           elements that users' lists hold in each lane, see list_ends.py
""")

# fields that only kernels of this folder fill
MOST_USED = ("maxuse_con", "maxuse_efc")  # most_used.py
# awake.py
AWAKE_FIELDS = (
    "ntree_awake", "nbody_awake", "nparent_awake", "nv_awake", "tree_awake", "body_awake",
    "body_awake_ind", "parent_awake_ind", "dof_awake_ind",
)  # fmt: skip
