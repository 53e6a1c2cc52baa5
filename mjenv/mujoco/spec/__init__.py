"""`MjSpec` and its elements."""
