"""Scratch of friction with reference parameters of its own."""

from ...tables.fields import table

DRAG_DATA = table("""
block_drag       real  nblock      damping of the reference of a contact's tangential rows
""")
