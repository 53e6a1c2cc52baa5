"""Single calls on one world: a kernel with the numbers of the call, and nothing around it."""
