"""Callbacks in Python belong to single data: calls on many simulations refuse them."""

from mjenv.mujoco.callbacks import Installed


def refuse_callbacks(where: str) -> None:
    """Raise ValueError while callbacks are set.

    Args:
        where: name of the public function, for the message.
    """
    if Installed.functions:
        names = ", ".join(f"mjcb_{kind}" for kind in Installed.functions)
        raise ValueError(
            f"{where}: {names}: functions in Python are not called for many simulations at once; "
            "unset them, or use set_hook with mjenv.Data"
        )
