"""Data belong to one call at a time; others are refused, whichever thread they come from.

A call takes `Plan.idle` and gives it back at its end. No thread can come between the look at it and
the store: the interpreter hands over only at calls, backward jumps and returns. The same holds for
handlers of signals, so that an interrupted call always gives back what it has taken. Every step
does this in its own lines, which cost nothing that could be measured; `alone` is for other calls.
"""

from collections.abc import Callable
from threading import get_ident
from typing import Any, NoReturn, Protocol

from ..errors import DataInUse


class Guarded(Protocol):
    """What one call at a time may work on, `Plan`.

    Attributes:
        idle: whether none does.
        holder: the thread of the one that `alone` has let in.
        hooks: users' functions, with the thread in which one runs.
    """

    idle: bool
    holder: Any
    hooks: Any


def refuse_busy(plan: Guarded, where: str) -> NoReturn:
    """Refuse a call on data that are being worked on.

    Raises:
        DataInUse: always; the text says whose fault it is.
    """
    if plan.hooks.thread == get_ident():
        raise DataInUse(
            f"{where}: called in a hook, with the data that the hook belongs to, which are in the "
            "middle of a step; expected other data, made with Data(model), or the fields of the "
            "worlds that the hook is given"
        )
    raise DataInUse(
        f"{where}: found data that another call is working on, in another thread or where a signal "
        "has interrupted it; expected one call at a time: give each thread data of its own, with "
        "copy.deepcopy(data), or have threads take turns with a threading.Lock"
    )


def check_idle(plan: Guarded, where: str) -> None:
    """Refuse data that other calls are working on, when nothing but arrays is to be read or set."""
    if not plan.idle and plan.holder != get_ident():
        refuse_busy(plan, where)


class Turn:
    """Lets one call at a time into an object around data, such as environments.

    Attributes:
        idle: whether none is there.
    """

    def __init__(self, what: str):
        """Have nobody there.

        Args:
            what: what the object is, for messages.
        """
        self._what, self.idle = what, True

    def take(self, where: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function while no other call may.

        Raises:
            DataInUse: another one is under way.
        """
        if self.idle:
            self.idle = False
        else:
            raise DataInUse(
                f"{where}: found {self._what} that another call is working on, in another thread "
                "or where a signal has interrupted it; expected one call at a time: give each "
                "thread its own, or have threads take turns with a threading.Lock"
            )
        try:
            return function(*arguments)
        finally:
            self.idle = True


def alone(plan: Guarded, where: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function while no other call may work on the data of a plan.

    Calls from within are part of it, but not those of hooks.

    Args:
        plan: of the data.
        where: name of the public function, for messages.
        function: what to call.
        arguments: what with.

    Raises:
        DataInUse: another call is working on them.
    """
    thread = get_ident()
    if plan.idle:
        plan.idle = False
    elif plan.holder == thread != plan.hooks.thread:
        return function(*arguments)
    else:
        refuse_busy(plan, where)
    try:
        plan.holder = thread
        return function(*arguments)
    finally:
        plan.holder = 0
        plan.idle = True
