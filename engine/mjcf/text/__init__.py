"""MJCF and URDF as text: the schema, reading, elements and the names in them."""
