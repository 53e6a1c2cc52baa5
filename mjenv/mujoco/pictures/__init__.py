"""Pictures: `MjrContext`, and what the functions `mjr_` and `mjv_` do."""
