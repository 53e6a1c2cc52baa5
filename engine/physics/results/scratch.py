"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# list_ends.py
EXPORT_DATA = table("""
listed           real  6           elements that users' lists hold in each lane, see list_ends.py
""")
