"""Functions of a state that simulation itself does not need: Jacobians, inverses, derivatives."""
