"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

PLUGIN_MODEL = table("""
plug_address     long  nplugin     address of its numbers, float64
plug_first       int   nplugin     first body, actuator or sensor that it drives; -1: none
plug_count       int   nplugin     how many it drives
""")
