"""Functions of texts: names of types, sizes in bytes, messages, files that a document names."""

from mjenv import mju
from mjenv.engine.tables.enum_tables import short_names
from mjenv.engine.tables.enums import NWARNING
from mjenv.mujoco.functions.document_files import document_files
from mjenv.mujoco.functions.tables import define

_UNITS = "KMGTPE"
_TYPES = {number: word for word, number in short_names("mjtObj").items() if word != "unknown"}


def _type_name(type: int) -> str | None:
    return _TYPES.get(type)


def _type_of(str: str) -> int:
    return next((number for number, word in _TYPES.items() if word == str), 0)


def _bytes(nbytes: int) -> str:
    unit = ""
    for larger in _UNITS:
        if nbytes == 0 or nbytes % 1024:
            break
        nbytes, unit = nbytes // 1024, larger
    return f"{nbytes}{unit}"


def _warning(warning: int, info: int) -> str:
    known = 0 <= warning < NWARNING
    return mju.warning_text(warning, info) if known else f"Unknown warning type {warning}."


def _write_log(type: str, msg: str) -> None:
    with open("MUJOCO_LOG.TXT", "a", encoding="utf-8") as file:
        file.write(f"{type}: {msg}\n\n")


def _files(filename: str) -> list[str]:
    return document_files(filename)


_ROWS = {
    "mju_type2Str": ("The word of a type (mjtObj); None where there is none.", _type_name),
    "mju_str2Type": ("The type (mjtObj) of a word; 0 where there is none.", _type_of),
    "mju_writeNumBytes": ("A number of bytes in its largest whole unit.", _bytes),
    "mju_warningText": ("What is told of a warning (mjtWarning).", _warning),
    "mju_writeLog": ("Append a line to the file MUJOCO_LOG.TXT.", _write_log),
    "mju_getXMLDependencies": ("Files that a document names, and itself.", _files),
}

define(globals(), _ROWS)
