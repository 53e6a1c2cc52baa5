"""Notebooks: they are executed, and become pages of the site.

`make notebooks` executes those of docs/notebooks and keeps what they print and draw.
"""

import base64
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

KEPT = {"image/png": ".png", "image/gif": ".gif"}  # pictures, and the suffixes of their files
SECONDS = 600  # that a cell may take


def execute(path: Path) -> Any:
    """A notebook, executed from top to bottom in a folder of its own.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell has failed.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook: Any = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=SECONDS, resources=resources).execute()
    return notebook


def tidy(notebook: Any) -> None:
    """Leave out what changes from run to run or is said to the terminal."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
    }
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type != "code":
            continue
        cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
        for output in cell.outputs:
            pictures = [kind for kind in output.get("data", {}) if kind in KEPT]
            if pictures:
                output.data = {kind: output.data[kind] for kind in pictures}
                output.metadata = {}


def page(path: Path) -> tuple[str, dict[str, bytes]]:
    """A notebook as a page, with the files of its pictures by their names."""
    parts, pictures, heading = [], {}, path.stem
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            heads = [line for line in source.splitlines() if line.startswith("#")]
            heading = heads[-1].lstrip("# ") if heads else heading
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            drawn = [kind for kind in KEPT if kind in data]
            if drawn:
                name = f"{path.stem}-{len(pictures)}{KEPT[drawn[0]]}"
                pictures[name] = base64.b64decode("".join(data[drawn[0]]))
                parts.append(f"![What the code draws: {heading}]({name})")
            else:
                text = "".join(output.get("text", data.get("text/plain", "")))
                parts.append(f"```text\n{text.rstrip()}\n```")
    parts.insert(1, f"*This page is a notebook: [{path.name}]({path.name}).*")
    return "\n\n".join(parts) + "\n", pictures


def main() -> None:
    """Execute notebooks, and write what they print and draw into them."""
    import nbformat

    for path in map(Path, sys.argv[1:]):
        print(f"executing {path}")
        notebook = execute(path)
        tidy(notebook)
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
