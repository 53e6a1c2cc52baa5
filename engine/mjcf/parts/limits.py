"""Ranges: whether a limit is active, and whether its range makes sense."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part


def limited(part: "Part", flag: str, range_name: str, settings: dict) -> bool:
    """True if a limit is active.

    Args:
        part: what is limited.
        flag: attribute with "true", "false" or "auto"; auto means that the range says it.
        range_name: attribute with the range.
        settings: compiler settings, of which `autolimits` is read.
    """
    choice, (low, high) = part[flag], part[range_name]
    if choice == "auto" and (low or high) and settings["autolimits"] == "false":
        raise part.error(
            f"{range_name} without {flag}: expected {flag}='true' or 'false', because the compiler"
            " has autolimits='false'"
        )
    return choice == "true" or (choice == "auto" and low < high)


def check_range(part: "Part", range_name: str) -> None:
    """Refuse an empty range."""
    low, high = part[range_name]
    if low >= high:
        found, hint = f"{range_name}='{low:g} {high:g}'", ""
        if low == high == 0:
            hint = "; a limit that is on needs a range"
        raise part.error(f"{found}: expected the first number to be the smaller one{hint}")


def user_size(draft: "Draft", kind: str, name: str) -> int:
    """Number of user values of a kind: as given, or as many as the part with most has."""
    size = draft.size[name]
    parts = draft.parts.get(kind, ())
    if size == -1:
        return max((len(p.values.get("user", ())) for p in parts), default=0)
    for part in parts:
        if len(part.values.get("user", ())) > size:
            count = len(part.values["user"])
            raise part.error(f"user: expected at most {name}={size} values, found {count}")
    return size
