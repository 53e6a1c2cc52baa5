"""`MjModel`, `MjData` and the structures of the bindings that are no parts of `MjSpec`."""
