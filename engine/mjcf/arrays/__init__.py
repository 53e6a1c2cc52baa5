"""Arrays of a model, and the constants that follow from them."""
