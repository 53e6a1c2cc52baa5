"""Derived data of models, kept for later data of models with the same structure.

Tables, sizes and conditions of stages follow from whole numbers of a model, from the few real ones
that are watched for edits (change_detection.py), and from options. Programs that make data again
and again, of one model or of models that are compiled anew and differ in their real numbers, have
these derived once.
"""

from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..model.change_detection import FACTS, LOCKED, WATCHED
from ..model.model import SIZES
from ..model.references import names_checked, refuse_bad_references
from ..physics.collision.large_model_tables import is_large_model
from .derived import Derived, Wanted, derive

if TYPE_CHECKING:
    from ..model.model import Model

MOST = 32  # structures that are kept
LONG = 1 << 16  # bytes of arrays whose contents are kept to compare with
WHOLE = tuple(name for name in WATCHED if name not in FACTS)
FREE = tuple(sorted(names_checked().difference(WATCHED, LOCKED)))
OPTIONS = ("disableflags", "enableflags", "jacobian", "ccd_iterations", "integrator")

_choices = itemgetter("integrator", "cone", "jacobian", "solver")

_known: "dict[tuple, Structure]" = {}
_locked: "WeakKeyDictionary[Model, int]" = WeakKeyDictionary()
_free: "WeakKeyDictionary[Model, tuple[list[bytearray], int]]" = WeakKeyDictionary()


class Structure:
    """Derived data of models that are alike but for real numbers.

    Attributes:
        derived: by what data want, and options.
        large_models: whether data are in large-model mode, by what was asked for, and options.
        checked: choices among options with which ids and addresses were checked.
    """

    def __init__(self) -> None:
        self.derived: dict[tuple, Derived] = {}
        self.large_models: dict[tuple, bool] = {}
        self.checked: set[tuple] = set()

    def is_large_model(self, model: "Model", asked: bool | None) -> bool:
        """As `large_model_tables.is_large_model`, for a model of this structure."""
        key = (asked, _options(model))
        if key not in self.large_models:
            self.large_models[key] = is_large_model(model, asked)
        return self.large_models[key]

    def derive(self, model: "Model", wanted: Wanted) -> Derived:
        """As `derive`, for a model of this structure; sizes and conditions may be changed."""
        key = (wanted, _options(model))
        found = self.derived.get(key)
        if found is None:
            found = self.derived[key] = derive(model, wanted)
            found.conditions["model"] = None
        conditions = {**found.conditions, "model": model}
        return found._replace(sizes=dict(found.sizes), conditions=conditions)


def structure_of(model: "Model") -> Structure:
    """The structure of a model, whose ids and addresses lead into its arrays.

    Raises:
        ValueError: one of them does not.
    """
    if model.nplugin:
        # tables of plugins depend on real numbers and on registered functions
        refuse_bad_references(model)
        return Structure()
    key = _key(model)
    found = _known.get(key)
    if found is None:
        found = Structure()
    choices = _choices(vars(model.opt))
    if choices not in found.checked:
        refuse_bad_references(model)
        found.checked.add(choices)
    # used last; other threads may do the same
    _known.pop(key, None)
    _known[key] = found
    for old in list(_known)[:-MOST]:
        _known.pop(old, None)
    return found


def _hash_of_free(model: "Model") -> int:
    """Hash of the ids and addresses that may be written.

    Those of meshes take long to hash, and are rarely written: they are compared with what they were
    when it was found.
    """
    own: dict[str, Any] = vars(model)
    arrays = [own[name] for name in FREE if own[name].size]
    if sum(array.nbytes for array in arrays) < LONG:
        return hash(b"".join(arrays))
    views = [memoryview(array).cast("B") for array in arrays]
    held, found = _free.get(model, ([], 0))
    if len(held) != len(views) or any(a != b for a, b in zip(held, views, strict=True)):
        held = [bytearray(view) for view in views]  # compared as memory is
        found = hash(b"".join(held))
        _free[model] = held, found
    return found


def _key(model: "Model") -> tuple:
    """Key of a structure. Of large arrays it has the hash, of 64 bits."""
    own: dict[str, Any] = vars(model)
    if model not in _locked:
        _locked[model] = hash(b"".join([own[name] for name in LOCKED]))
    whole = b"".join([own[name] for name in WHOLE])
    facts = [f.value(own[n]) if f.used is None or f.used(model) else None for n, f in FACTS.items()]
    free = _hash_of_free(model)
    return tuple([own[name] for name in SIZES]), whole, tuple(facts), _locked[model], free


def _options(model: "Model") -> tuple:
    """The options that tables depend on."""
    options = vars(model.opt)
    step = options["timestep"] if model.nhistory else None
    return (*[options[name] for name in OPTIONS], step)
