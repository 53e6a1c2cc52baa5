"""The compiler's intermediate representation: a model as parts, before it is arrays.

A `Draft` holds what a document describes, defaults applied: one `Part` for each object of
mjModel. Passes (assets, flex, arrays, parts) fill in what they compute.
"""
