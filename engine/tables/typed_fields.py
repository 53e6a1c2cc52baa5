"""Bases of the classes that have MuJoCo's fields; `typed_fields.pyi` lists these for type checkers.

At run time they are empty: the classes themselves find their fields.
"""


class ModelFields:
    """Sizes, arrays and elements of a model."""


class DataFields:
    """Fields and elements of the data of N worlds."""


class WorldFields:
    """Fields of one of many worlds."""


class ContactsFields:
    """Fields of the contacts of every world."""


class ContactFields:
    """Fields of one contact."""


class OptionFields:
    """Options of the simulation."""


class StatisticFields:
    """Statistics of a model, computed by the compiler."""


class VisualFields:
    """Settings of the picture, in groups."""
