"""Functions of a package with their loops as calls, so that loops over contacts can be followed.

`for x in values: body` becomes a function of `x` and of the local names that it uses, which returns
their new values; `folding.py` calls it for each value, as Python would, or for what a world may
have. Comprehensions become calls likewise. Lines keep their numbers, so that errors name them.
"""

import ast
import inspect
import textwrap
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from mjenv.porting.control.endings import FOLD, Ended, Endings, call, load
from mjenv.porting.control.identity import Questions, flat
from mjenv.porting.control.turns import names_of_turns

_REFUSED = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.Nonlocal,
    ast.NamedExpr, ast.ClassDef,
)  # fmt: skip
FRESH = ("array", "copy", "flatten")  # methods and functions that make arrays of their own
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_NAMELESS = "__mjenv_function"  # name of a function while it is compiled


def names_in(code: CodeType) -> set[str]:
    """Names of attributes and globals in a function, and in the functions inside it."""
    found = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            found |= names_in(one)
    return found


def rewritten(function: FunctionType, branches: bool = False) -> FunctionType:
    """The function with its loops as calls; itself where its text is not known, or not plain.

    Args:
        function: any.
        branches: whether `if` statements, elements of arrays, and copies become calls, too.
    """
    code = function.__code__
    inside = getattr(code, "co_qualname", function.__qualname__).rpartition(".")[0]
    inner = _rewritten_code(code, inside, code.co_filename, branches)
    if not inner:
        return function
    # the same defaults and closure
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in inner.co_freevars)
    result = FunctionType(
        inner, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__dict__.update(function.__dict__)
    result.__module__, result.__qualname__ = function.__module__, function.__qualname__
    return result


@cache
def _rewritten_code(code: CodeType, inside: str, filename: str, branches: bool) -> CodeType | None:
    """The code of a function with its loops as calls; None where that cannot be made.

    Args:
        code: of the function.
        inside: name of what it is written in, such as its class.
        filename: where it is from: codes of other files may be equal.
        branches: whether `if` statements become calls, too.
    """
    try:
        source = textwrap.dedent(inspect.getsource(code))
        # as many lines before it as in its file
        tree = ast.parse("\n" * (code.co_firstlineno - 1) + source)
    except (OSError, TypeError, SyntaxError):
        return None
    found = tree.body[0]
    whole = isinstance(found, ast.FunctionDef) and found.name == code.co_name
    if not whole or any(_is_refused(node) for node in ast.walk(tree)):
        return None
    assert isinstance(found, ast.FunctionDef)
    found.decorator_list = []
    _say_private_names(found, inside.rpartition(".")[2].lstrip("_"))
    first = code.co_varnames[0] if "__class__" in code.co_freevars and code.co_argcount else ""
    plain = _Plain(first)
    found.body = [Questions().visit(plain.visit(line)) for line in found.body]
    found.body = flat(found.body)
    local = {*code.co_varnames, *code.co_cellvars}
    given = [one.arg for one in ast.walk(found.args) if isinstance(one, ast.arg)]
    # what functions inside see is one variable for all turns
    of_turns = {n: x - {*code.co_cellvars} for n, x in names_of_turns(found).items()}
    loops = _Loops(local, given, branches, of_turns)
    found.body = loops.statements(found.body)
    return _compiled(code, found)


def _compiled(code: CodeType, tree: ast.FunctionDef) -> CodeType:
    """The code of other statements, with the same closure and line numbers."""
    # names of the closure are parameters of a function around it
    outer = ast.parse(f"def outer({', '.join(code.co_freevars)}): pass")
    assert isinstance(outer.body[0], ast.FunctionDef)
    tree.args.defaults, tree.args.kw_defaults = [], [None for _ in tree.args.kwonlyargs]
    _without_annotations(tree)
    outer.body[0].body = [tree]
    # under another name, so that its own stays that of a global in a function that calls itself
    tree.name, name = _NAMELESS, tree.name
    made = compile(ast.fix_missing_locations(outer), code.co_filename, "exec")
    around = next(one for one in made.co_consts if isinstance(one, CodeType))
    inner = next(
        one for one in around.co_consts if isinstance(one, CodeType) and one.co_name == _NAMELESS
    )
    return inner.replace(co_name=name)


def _without_annotations(tree: ast.FunctionDef) -> None:
    tree.returns = None
    for one in ast.walk(tree.args):
        if isinstance(one, ast.arg):
            one.annotation = None


def _is_refused(node: ast.AST) -> bool:
    """True for what statements inside of another function would change the meaning of."""
    if isinstance(node, ast.Name):
        return node.id in ("locals", "eval", "exec")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
        return node.func.id in ("vars", "dir")
    return isinstance(node, _REFUSED)


def _say_private_names(function: ast.FunctionDef, kind: str) -> None:
    """Names such as `self.__goal` as they are inside of a class."""
    for node in ast.walk(function) if kind else ():
        for field in ("attr", "id", "arg", "name", "asname", "rest"):
            name = getattr(node, field, None)
            if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
                setattr(node, field, f"_{kind}{name}")


# names of functions of the module operator
_IN_PLACE = {
    ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv", ast.BitOr: "ior",
    ast.BitAnd: "iand",
}  # fmt: skip
_COMPARED = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_OF_NUMBERS = frozenset(("abs", "bool", "float", "int", "len", "max", "min", "round", "sum"))
_MODULES_OF_NUMBERS = frozenset(("math", "np", "numpy"))


def _may_change(node: ast.AST) -> bool:
    """True for expressions that call what may change something."""
    for one in ast.walk(node):
        if isinstance(one, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return True
        if isinstance(one, ast.Call):
            made = one.func.value if isinstance(one.func, ast.Attribute) else one.func
            known = _OF_NUMBERS if made is one.func else _MODULES_OF_NUMBERS
            if not isinstance(made, ast.Name) or made.id not in known:
                return True
    return False


class _Plain(ast.NodeTransformer):
    """Says what bodies that become functions would not know, but for functions inside them.

    `super()` has its class and object, and names are without annotations.
    """

    def __init__(self, first: str):
        self._first = first

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Name the class and object that `super()` means."""
        self.generic_visit(node)
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super"
        if self._first and is_super and not node.args:
            node.args = [load("__class__"), load(self._first)]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """`name: kind = value`."""
        self.generic_visit(node)
        made = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return ast.copy_location(made, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Functions inside have their own."""
        return node

    visit_Lambda = visit_FunctionDef  # type: ignore[assignment]


class _Loops(ast.NodeTransformer):
    """Replaces loops by calls."""

    def __init__(
        self,
        local: set[str],
        given: list[str],
        branches: bool,
        of_turns: dict[ast.AST, set[str]],
    ):
        self._local, self._given = local, _constants(given)
        self._branches, self._count = branches, 0
        self._of_turns = of_turns
        # statements that loops end with: whether one breaks is no question, but how the body ends
        self._last: set[ast.AST] = set()

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements with their loops replaced."""
        return flat(map(self.visit, body))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Functions inside have names of their own."""
        return node

    visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    # ------------------------------------------------------------ loops

    def visit_For(self, node: ast.For) -> Any:
        """`for target in values: body`."""
        if _is_left_behind_finally(node):
            return self.generic_visit(node)
        whole = self._branches and not _returns(node)
        until = whole and _fails(node.orelse)
        if until or (whole and not node.orelse):
            self._last.update(_last_branches(node.body))
        self.generic_visit(node)
        if node.orelse and not until:
            return node
        names = [name for name in self._names(node) if name not in self._of_turns[node]]
        name, leaves = self._name("body"), _returns(node)
        target = ast.copy_location(ast.Assign([node.target], load(f"{name}_item")), node)
        ending = Endings(self._state(names))
        body = self._function(name, [target, *node.body], names, node, ending)
        kind = "loop_until" if until else "loop"
        made = call(kind, node.iter, load(name), self._state(names))
        lines = [body, *self._after(made, names, node, leaves)]
        if until:
            # names are none of the loop's: `else` fails where all turns have been taken
            done = f"__mjenv_done{self._count}"
            test = call("has_gone_on", load(done))
            lines.append(ast.copy_location(ast.If(test, node.orelse, []), node))
        return lines

    def visit_While(self, node: ast.While) -> Any:
        """`while condition: body`."""
        if node.orelse or _is_left_behind_finally(node):
            return self.generic_visit(node)
        if self._branches and not _returns(node):
            self._last.update(_last_branches(node.body))
        self.generic_visit(node)
        names, name, leaves = self._names(node), self._name("body"), _returns(node)
        body = self._function(name, node.body, names, node, Endings(self._state(names)))
        ask = ast.copy_location(ast.Return(node.test), node)
        asked = self._function(f"{name}_asked", [ask], names, node, None)
        made = call("loop_while", load(f"{name}_asked"), load(name), self._state(names))
        return [body, asked, *self._after(made, names, node, leaves)]

    def visit_If(self, node: ast.If) -> Any:
        """`if condition: body else: other`."""
        left = _is_left_behind_finally(node)
        self.generic_visit(node)
        if not self._branches or left:
            return node
        names, name, leaves = self._names(node), self._name("body"), _returns(node)
        kinds = [kind for kind in (ast.Break, ast.Continue) if _has(node, kind)]
        body = self._function(name, node.body, names, node, Endings(self._state(names), True))
        other = self._function(
            f"{name}_else", node.orelse, names, node, Endings(self._state(names), True)
        )
        made = call(
            "branch", _condition(node.test), load(name), load(f"{name}_else"), self._state(names)
        )
        lines = [body, other, *self._after(made, names, node, leaves)]
        done = f"__mjenv_done{self._count}"
        if kinds and node in self._last:
            # with the state of the body around it, see `Endings`
            end = Ended(load(done))
            return [*lines, ast.copy_location(end, node)]
        for kind in kinds:
            test = call("has_ended", load(done), ast.Constant(kind.__name__.upper()))
            lines.append(ast.copy_location(ast.If(test, [kind()], []), node))
        return lines

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """`value if condition else other`."""
        self.generic_visit(node)
        if not self._branches or _has_scope_of_its_own(node):
            return node
        sides = [_deferred(side) for side in (node.body, node.orelse)]
        return ast.copy_location(call("choice", _condition(node.test), *sides), node)

    # ------------------------------------------------------------ arrays and their elements

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """`values[index]`, whose index may be a random number."""
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        sliced = any(isinstance(one, ast.Slice | ast.Starred) for one in parts)
        loads = isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Constant)
        if not self._branches or not loads or sliced:
            return node
        return ast.copy_location(call("element", node.value, node.slice), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`values[index] += value`, whose index may be a value."""
        self.generic_visit(node)
        target, operator = node.target, _IN_PLACE.get(type(node.op))
        if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Constant):
            return node
        # what is called might change the element meanwhile
        if not self._branches or operator is None or _may_change(node.value):
            return node
        if any(isinstance(one, ast.Slice) for one in ast.walk(target.slice)):
            return node
        made = call("changed", target.value, target.slice, ast.Constant(operator), node.value)
        return ast.copy_location(ast.Expr(made), node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`item in values`, of words that worlds may have; `a < b < c`."""
        self.generic_visit(node)
        kind = type(node.ops[0])
        names = [_COMPARED[type(one)] for one in node.ops if type(one) in _COMPARED]
        if self._branches and 1 < len(names) == len(node.ops):
            values = [_deferred(one) for one in (node.left, *node.comparators)]
            return ast.copy_location(call("compared", _constants(names), *values), node)
        if not self._branches or len(node.ops) != 1 or kind not in (ast.In, ast.NotIn):
            return node
        name = "has" if kind is ast.In else "lacks"
        return ast.copy_location(call(name, node.left, node.comparators[0]), node)

    def visit_Call(self, node: ast.Call) -> Any:
        """`list(values)`; `values.copy()` and the like, which may be written into afterwards."""
        self.generic_visit(node)
        if self._branches and _collects(node):
            return ast.copy_location(call("collected", node.func, node.args[0]), node)
        if not self._branches or not isinstance(node.func, ast.Attribute):
            return node
        return ast.copy_location(call("fresh", node), node) if node.func.attr in FRESH else node

    def _name(self, what: str) -> str:
        self._count += 1
        return f"__mjenv_{what}{self._count}"

    def _names(self, node: ast.AST) -> list[str]:
        """Local names that a statement uses."""
        found = set[str]()
        for one in ast.walk(node):
            # of functions, imports, errors and patterns, too
            names = (getattr(one, field, None) for field in ("id", "name", "asname", "rest"))
            found.update(name.partition(".")[0] for name in names if isinstance(name, str))
        return sorted(found & self._local)

    def _state(self, names: list[str]) -> ast.expr:
        """Their values."""
        return call("state", ast.Call(load("locals"), [], []), _constants(names), self._given)

    def _unpacked(self, value: ast.expr, names: list[str], node: ast.AST) -> list[ast.stmt]:
        """The names with their values; those without one have none."""
        if not names:
            return []
        targets: Any = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        lines: list[ast.stmt] = [ast.Assign([targets], value)]
        for name in names:
            test = ast.Compare(
                load(name), [ast.Is()], [ast.Attribute(load(FOLD), "ABSENT", ast.Load())]
            )
            lines.append(ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], []))
        return [ast.copy_location(line, node) for line in lines]

    def _function(
        self,
        name: str,
        body: list[ast.stmt],
        names: list[str],
        node: ast.AST,
        ending: "Endings | None",
    ) -> ast.stmt:
        """A function of an item and the state that does what a loop's body does."""
        # they stay the function's own: functions inside it see them, and `except` does
        lines: list[ast.stmt] = [ast.copy_location(ast.Nonlocal(names), node)] if names else []
        lines += self._unpacked(load(f"{name}_state"), names, node)
        if ending is not None:
            lines += [ending.visit(one) for one in body]
            lines.append(ast.copy_location(ending.end("NEXT"), node))
        else:
            lines += body
        head = ast.parse(f"def {name}({name}_item, {name}_state): pass").body[0]
        assert isinstance(head, ast.FunctionDef)
        head.body = lines
        return ast.copy_location(head, node)

    def _after(
        self, loop: ast.expr, names: list[str], node: ast.AST, leaves: bool
    ) -> list[ast.stmt]:
        """Run the loop; go on with the names' values, or return."""
        done = self._name("done")
        first = ast.Assign([ast.Name(done, ast.Store())], loop)
        result = ast.Subscript(load(done), ast.Constant(1), ast.Load())
        state = ast.Subscript(load(done), ast.Constant(2), ast.Load())
        ends = ast.If(call("returned", load(done)), [ast.Return(result)], [])
        lines = [ast.copy_location(first, node), *self._unpacked(state, names, node)]
        return [*lines, ast.copy_location(ends, node)] if leaves else lines

    # ------------------------------------------------------------ comprehensions

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        """`[value for target in values if condition]`."""
        return self._comprehension(node, "listed")

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        """`{value for target in values if condition}`."""
        return self._comprehension(node, "collection")

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        """`{name: value for target in values if condition}`."""
        return self._comprehension(node, "table")

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        """`(value for target in values if condition)`."""
        return self._comprehension(node, "generated")

    def _comprehension(self, node: Any, function: str) -> Any:
        later = _has_later_functions(node)
        self.generic_visit(node)
        one = node.generators[0]
        if len(node.generators) != 1 or one.is_async:
            return node
        names = _flat_names(one.target)
        if names is None or later:
            return node
        conditions = [ast.BoolOp(ast.And(), one.ifs)] if len(one.ifs) > 1 else one.ifs
        test = _of_item(one.target, names, conditions[0]) if conditions else ast.Constant(None)
        pair = isinstance(node, ast.DictComp)
        what = ast.Tuple([node.key, node.value], ast.Load()) if pair else node.elt
        value = _of_item(one.target, names, what)
        return ast.copy_location(call(function, one.iter, test, value), node)


def _constants(names: list[str]) -> ast.expr:
    """A tuple of names."""
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def _last_branches(body: list[ast.stmt]) -> list[ast.stmt]:
    """The `if` that statements end with, and those that its sides end with."""
    last = body[-1] if body else None
    if not isinstance(last, ast.If):
        return []
    return [last, *_last_branches(last.body), *_last_branches(last.orelse)]


def _returns(node: ast.AST) -> bool:
    """True if a statement returns from the function that it stands in."""
    waiting = [*ast.iter_child_nodes(node)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Return) and not isinstance(one, Ended):
            return True
        if not isinstance(one, _SCOPES):
            waiting += ast.iter_child_nodes(one)
    return False


def _is_left_behind_finally(node: ast.AST) -> bool:
    """True if a statement may end in a `try` whose `finally` sets names after that."""
    tries = (one for one in ast.walk(node) if isinstance(one, ast.Try) and one.finalbody)
    return any(_returns(one) or _has(one, ast.Break) or _has(one, ast.Continue) for one in tries)


def _condition(test: ast.expr) -> ast.expr:
    """A condition whose parts are asked for where the parts before them leave it open."""
    if _has_scope_of_its_own(test):
        return test
    if isinstance(test, ast.BoolOp):
        name = "every" if isinstance(test.op, ast.And) else "some"
        return call(name, *(_deferred(_condition(one)) for one in test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return call("fails", _condition(test.operand))
    return test


def _deferred(value: ast.expr) -> ast.Lambda:
    """A function without arguments that gives a value."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


def _collects(node: ast.Call) -> bool:
    """True for `list(values)`, `set(values)` and `frozenset(values)`."""
    kinds = ("list", "set", "frozenset")
    plain = isinstance(node.func, ast.Name) and node.func.id in kinds
    starred = any(isinstance(one, ast.Starred) for one in node.args)
    return plain and len(node.args) == 1 and not node.keywords and not starred


def _fails(body: list[ast.stmt]) -> bool:
    """True for statements that raise an error."""
    return bool(body) and isinstance(body[-1], ast.Raise)


def _has_scope_of_its_own(node: ast.AST) -> bool:
    """True for what a function inside would change the meaning of."""
    kinds = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
    return any(isinstance(one, kinds) for one in ast.walk(node))


def _has(node: ast.AST, kind: type) -> bool:
    """True if a statement has `break` or `continue` of a loop around it."""
    waiting = [*ast.iter_child_nodes(node)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, kind):
            return True
        if not isinstance(one, (*_SCOPES, ast.For, ast.While)):
            waiting += ast.iter_child_nodes(one)
    return False


def _has_later_functions(node: ast.AST) -> bool:
    """True if functions in a comprehension may be called behind its turn, and see its last item."""
    now: set[ast.AST] = {node}
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            now.update(x for x in one.args if isinstance(x, ast.GeneratorExp))
            now.update(x.value for x in one.keywords if x.arg == "key")
    found = (one for one in ast.walk(node) if isinstance(one, ast.Lambda | ast.GeneratorExp))
    return any(one not in now for one in found)


def _flat_names(target: ast.expr) -> list[str] | None:
    """The names of a loop's target, one or a flat tuple of them."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple) and all(isinstance(one, ast.Name) for one in target.elts):
        found = [one.id for one in target.elts]  # type: ignore[attr-defined]
        # of a name that is there twice, as in `a, _, _`, the last one counts
        return [f"__mjenv_{k}" if n in found[k + 1 :] else n for k, n in enumerate(found)]
    return None


def _of_item(target: ast.expr, names: list[str], value: ast.expr) -> ast.Lambda:
    """A function of an item of the loop."""
    args = [ast.arg(name) for name in names]
    made = ast.Lambda(ast.arguments([], args, None, [], [], None, []), value)
    if isinstance(target, ast.Name):
        return made
    item = ast.arguments([], [ast.arg("__mjenv_item")], None, [], [], None, [])
    spread = ast.Starred(load("__mjenv_item"), ast.Load())
    return ast.Lambda(item, ast.Call(made, [spread], []))
