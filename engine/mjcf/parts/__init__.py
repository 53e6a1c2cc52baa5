"""Elements as parts of a model, and what compiles them: one module for each kind."""
