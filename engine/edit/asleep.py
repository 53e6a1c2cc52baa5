"""Trees that shall sleep from the start (sleep='init'): the compiler tries whether they can."""

from typing import TYPE_CHECKING

from ..tables.enums import SLEEP_INIT

if TYPE_CHECKING:
    from ..mjcf.draft.draft import Draft
    from ..model.model import Model


def check_asleep(model: "Model", draft: "Draft") -> None:
    """Refuse a model with a tree that cannot sleep as it shall, because of what holds it.

    Whether it can is known after forward dynamics at the initial state.

    Raises:
        MjcfError: a tree cannot sleep.
        UnsupportedFeature: the model has equalities of tendons, which do not sleep.
    """
    if SLEEP_INIT not in model.tree_sleep_policy:
        return
    # the simulation needs a compiled model: it is imported when there is one
    from ..data.data import Data
    from ..data.sleep_start import CannotSleepError

    try:
        Data(model, keep=[])
    except CannotSleepError as error:
        body = draft.parts["body"][error.body]
        raise body.error(error.reason) from None
