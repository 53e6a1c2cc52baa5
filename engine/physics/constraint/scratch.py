"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# friction_reference.py
FRICTION_REFERENCE_DATA = table("""
block_frictionref       real  nblock      damping of the reference of a contact's tangential rows
""")

# likeness.py
LIKENESS_DATA = table("""
likeness         real  1           what worlds with the same rows have in common
""")
