"""Facts that all of the engine uses, as tables: fields, enumerations, sensors, plugins."""
