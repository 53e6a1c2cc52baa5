"""Python as a person lays it out: lines that are not too long, double quotes."""

import ast
import io
import tokenize
from typing import Any

from mjenv.writing.values import NotWritten

WIDTH = 88


def statement(node: ast.stmt, indent: int) -> list[str]:
    """Lines of a statement, also of one that has others inside."""
    ast.fix_missing_locations(node)
    body = getattr(node, "body", None)
    if isinstance(body, list):
        # its first line, and then each statement of its own
        head = ast.unparse(_without_body(node)).removesuffix("...").rstrip()
        lines = [" " * indent + line for line in _quoted(head).splitlines()]
        return [*lines, *(line for one in body for line in statement(one, indent + 4))]
    room = WIDTH - indent
    whole = _quoted(ast.unparse(node))
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        whole = f"return {whole[8:-1]}"
    if "\n" in whole or len(whole) <= room:
        return [" " * indent + line for line in whole.splitlines()]
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        head = f"{_quoted(ast.unparse(node.targets[0]))} = "
        return _indented(_broken(node.value, head, "", room), indent)
    if isinstance(node, ast.Return) and node.value is not None:
        return _indented(_broken(node.value, "return ", "", room), indent)
    if isinstance(node, ast.Expr):
        return _indented(_broken(node.value, "", "", room), indent)
    return [" " * indent + whole]


def _without_body(node: ast.stmt) -> ast.stmt:
    """The same statement with nothing in it."""
    fields: dict[str, Any] = {word: getattr(node, word, None) for word in node._fields}
    if fields.get("orelse"):
        raise NotWritten("found `else` in a loop that draws, expected `if` alone")
    twin = type(node)()
    for word, value in {**fields, "body": [ast.Expr(ast.Constant(...))]}.items():
        setattr(twin, word, value)
    return ast.fix_missing_locations(twin)


def _indented(lines: list[str], indent: int) -> list[str]:
    return [" " * indent + line for line in lines]


def _broken(node: ast.expr, head: str, tail: str, room: int) -> list[str]:
    """Lines of an expression between a beginning and an end."""
    text = _quoted(ast.unparse(node))
    if len(head) + len(text) + len(tail) <= room:
        return [f"{head}{text}{tail}"]
    # one element a line
    inner: list[tuple[str, ast.expr]]
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        inner = [(f"{_quoted(ast.unparse(k))}: " if k else "**", v) for k, v in pairs]
        opened, closed = "{", "}"
    elif isinstance(node, ast.List | ast.Tuple):
        inner = [("", one) for one in node.elts]
        opened, closed = ("[", "]") if isinstance(node, ast.List) else ("(", ")")
    elif isinstance(node, ast.Call):
        inner = [("", one) for one in node.args]
        inner += [(f"{k.arg}=" if k.arg else "**", k.value) for k in node.keywords]
        opened, closed = f"{_quoted(ast.unparse(node.func))}(", ")"
    elif isinstance(node, ast.BinOp):
        lines = [f"{head}("]
        lines += _indented(_operands(node, room - 4), 4)
        return [*lines, f"){tail}"]
    else:
        return [f"{head}{text}{tail}"]
    # each as short as it can be
    lines = [head + opened]
    for before, one in inner:
        lines += _indented(_broken(one, before, ",", room - 4), 4)
    return [*lines, closed + tail]


def _operands(node: ast.expr, room: int) -> list[str]:
    """A sum or a conjunction, one operand a line."""
    kinds = {ast.Add: "+", ast.Sub: "-", ast.BitAnd: "&", ast.BitOr: "|"}
    sign = kinds.get(type(node.op)) if isinstance(node, ast.BinOp) else None
    if sign is None or not isinstance(node, ast.BinOp):
        return [_quoted(ast.unparse(node))]
    whole = _quoted(ast.unparse(node))
    if len(whole) <= room:
        return [whole]
    right = _quoted(ast.unparse(ast.BinOp(ast.Name("_"), node.op, node.right)))
    return [*_operands(node.left, room), right.removeprefix("_ ")]


def _quoted(text: str) -> str:
    """The same with double quotes."""
    found = []
    for one in tokenize.generate_tokens(io.StringIO(text).readline):
        word = one.string
        plain = one.type == tokenize.STRING and word[:1] == "'" and '"' not in word
        if plain and not word.startswith("'''") and "\\" not in word:
            word = f'"{word[1:-1]}"'
        found.append((one.type, word, one.start, one.end, one.line))
    lines = text.splitlines(keepends=True)
    for kind, word, (row, begin), (last, end), _ in reversed(found):
        if kind == tokenize.STRING and row == last:
            line = lines[row - 1]
            lines[row - 1] = line[:begin] + word + line[end:]
    return "".join(lines)
