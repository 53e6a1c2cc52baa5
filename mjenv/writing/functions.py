"""The methods of a task, of what an environment's step and reset have been followed to."""

import ast
from typing import Any

import numpy as np

from mjenv.randomization.fields import refuse_varied
from mjenv.writing.followed import Followed, state_of
from mjenv.writing.layout import statement
from mjenv.writing.physics import MODEL
from mjenv.writing.program import (
    AFTER,
    BEFORE,
    MethodOf,
    Renamed,
    Statement,
    given_names,
    needed,
    with_choices_in_place,
    with_draws_in_place,
    with_parts_in_place,
)
from mjenv.writing.rewards import definitions, everywhere, terms_of
from mjenv.writing.values import (
    MARK,
    NotWritten,
    Rows,
    Several,
    Static,
    Value,
    attribute,
    called,
    code_of,
    is_static,
    name,
    plain,
)

_GOALS = ("observation", "achieved_goal", "desired_goal")


class Functions:
    """Text of the methods, and what they mention.

    Attributes:
        lines: of the methods, one after the other.
        nodes: all that was written, to see which names it has.
        state: the task's own arrays, and their initial values.
        groups: groups of the observation's parts.
        left_out: names of infos that are no numbers.
        limits: lowest and highest actions; None where the actuators get them.
        varies: fields of the model of which each episode has its own.
    """

    def __init__(self, followed: Followed):
        """Write them.

        Raises:
            NotWritten: a part of the environment has no place in a task.
        """
        self.f, self.t = followed, followed.step
        self.lines: list[str] = []
        self.nodes: list[ast.AST] = []
        self.state: dict[str, Any] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.left_out: list[str] = []
        self.limits: tuple[Any, Any] | None = None
        self.varies: tuple[str, ...] = ()
        self._new = self._new_values()
        self._state()
        self._reset()
        self._observation()
        self._control()
        self._step()
        for method in self._used_methods():
            self._method(method)

    # what each world has its own of

    def _new_values(self) -> dict[str, ast.expr]:
        """Variables that are the new values of the task's own arrays, as these."""
        found: dict[str, ast.expr] = {}
        for key, word in self.f.own.items():
            value = self.t.attributes.get(key)
            if isinstance(value, Rows) and isinstance(value.code, ast.Name):
                found[value.code.id] = state_of(word)
        return found

    def _state(self) -> None:
        for key, word in self.f.own.items():
            value = self.f.begun.get(key)
            if value is None:
                value = getattr(self.t._object(key[0]), key[1])
            array = np.asarray(value)
            if array.dtype.kind not in "fiub":
                raise NotWritten(
                    f"self.{key[1]}: found {type(value).__name__}, that changes in steps, "
                    "expected numbers"
                )
            written = self.f.reset.attributes.get(key)
            first = array
            if written is not None and is_static(written):
                first = np.asarray(plain(written))
            elif written is not None:
                first = np.zeros_like(np.asarray(plain(written)))  # type: ignore[union-attr]
            self.state[word] = first

    # text

    def _function(
        self, head: str, statements: list[Statement], results: list[ast.expr],
        result: ast.expr, taken: set[str], doc: str = "",
    ) -> None:  # fmt: skip
        """Write a method.

        Args:
            head: its name and arguments.
            statements: all that may be needed.
            results: what it is needed for.
            result: what it returns.
            taken: names of its arguments.
            doc: its docstring.
        """
        chosen = [_fresh(one) for one in needed(statements, results)]
        chosen, [result] = with_parts_in_place(chosen, [_copied(result)])
        chosen, [result] = with_draws_in_place(chosen, [result])
        chosen = with_choices_in_place(chosen, [result])
        words = given_names(chosen, [result], taken)
        rename = Renamed(words)
        nodes: list[ast.stmt] = [rename.visit(_copied(one.node)) for one in chosen]
        returned: ast.stmt = ast.Return(rename.visit(_copied(result)))
        # what is returned at once needs no name
        last = nodes[-1] if nodes else None
        if isinstance(last, ast.Assign) and isinstance(returned, ast.Return) and isinstance(
            returned.value, ast.Name) and isinstance(last.targets[0], ast.Name) and (
            last.targets[0].id == returned.value.id
        ):  # fmt: skip
            nodes[-1:] = []
            returned = ast.Return(last.value)
        nodes.append(returned)
        self.nodes += nodes
        self.lines += ["", f"    def {head}:"]
        if doc:
            self.lines.append(f'        """{doc}"""')
        for node in nodes:
            self.lines += statement(node, 8)

    # one method after the other

    def _reset(self) -> None:
        t = self.f.reset
        fields = {word.removeprefix(MODEL): v for word, v in t.physics.fields.items()}
        self._vary()
        fields |= {word: t.attributes[key] for key, word in self.f.own.items()
                   if key in t.attributes and not is_static(t.attributes[key])}  # fmt: skip
        codes = {word: code_of(value) for word, value in fields.items()}
        statements = needed(t.statements, list(codes.values()))
        if "data" in {w for s in statements for w in s.reads} | _names(codes.values()):
            raise NotWritten("reset: found values of the data that follow from others")
        given = {n: v for n, v in fields.items() if not self._is_initial(n, v)}
        if not given and not any(s.draws for s in statements):
            return
        if not set(given) & {"qpos", "qvel"} or set(given) - {"qpos", "qvel"}:
            codes = {word: codes[word] for word in given}
        if [*codes] == ["qpos", "qvel"]:
            result: ast.expr = ast.Tuple([codes["qpos"], codes["qvel"]], ast.Load())
        else:
            result = ast.Dict([ast.Constant(n) for n in codes], [*codes.values()])
        self._function("reset(self, rng)", t.statements, [*codes.values()], result, {"rng"})

    def _vary(self) -> None:
        """Note what the reset gives of the model.

        Raises:
            NotWritten: a task cannot have it, or its step reads what all episodes would share.
        """
        words = [n.removeprefix(MODEL) for n in self.f.reset.physics.fields if n.startswith(MODEL)]
        self.varies = tuple(words)
        try:
            refuse_varied("Task", words)
        except ValueError as error:
            raise NotWritten(f"reset: {error}") from None
        for word in sorted(self.t.physics.of_model.intersection(words)):
            raise NotWritten(
                f"step: found model.{word}, of which each episode has its own, expected what "
                "follows from it, such as data.xpos"
            )

    def _is_initial(self, word: str, value: Value) -> bool:
        first = {"qpos": self.f.original.model.qpos0, "qvel": np.zeros(self.f.original.model.nv)}
        return word in first and is_static(value) and np.array_equal(first[word], plain(value))

    def _of_state(self, codes: list[ast.expr], where: str) -> tuple[list[Statement], list[Any]]:
        """Statements and expressions that depend on the state after a step alone.

        Raises:
            NotWritten: they need the action, or the state before the step.
        """
        rename = Renamed({}, self._new)
        kept = [s for s in self.t.statements if not set(s.targets) & set(self._new)]
        statements = [
            Statement(s.targets, rename.visit(_copied(s.node)), s.phase, s.static, s.changes)
            for s in kept
        ]
        found = [rename.visit(_copied(code)) for code in codes]
        chosen = needed(statements, found)
        old = {w for key, w in self.f.own.items() if key in self.t.attributes}
        for node in (*(s.node for s in self._written(kept, chosen)), *codes):
            for one in ast.walk(node):
                if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "data.state" and (
                    one.attr in old
                ):  # fmt: skip
                    raise NotWritten(f"{where}: found self.{one.attr} as it was before the step")
        if any(s.phase == BEFORE and not s.static for s in chosen):
            raise NotWritten(f"{where}: found values from before the physics of a step")
        if "action" in {w for s in chosen for w in s.reads} | _names(found):
            raise NotWritten(f"{where}: found the action, expected the state after a step alone")
        return statements, found

    @staticmethod
    def _written(before: list[Statement], chosen: list[Statement]) -> list[Statement]:
        wanted = {tuple(s.targets) for s in chosen}
        return [s for s in before if tuple(s.targets) in wanted]

    def _observation(self) -> None:
        observed = self.f.results[0]
        known = definitions(self.t.statements)
        parts: dict[str, ast.expr] = {}
        if isinstance(observed, Several) and observed.kind is dict:
            if not set(observed.items) <= set(_GOALS):
                raise NotWritten(f"observation: found {list(observed.items)}, expected {_GOALS}")
            for word, value in observed.items.items():
                before = set(parts)
                _add_parts(parts, code_of(value), known, word)
                self.groups[word] = tuple(n for n in parts if n not in before)
        elif isinstance(observed, Rows) and observed.ndim == 1:
            _add_parts(parts, observed.code, known, "observation")
        else:
            raise NotWritten("observation: found no vector, expected one, or a dict of goals")
        statements, codes = self._of_state([*parts.values()], "observation")
        result = ast.Dict([ast.Constant(n) for n in parts], codes)
        self._function("observation(self, data)", statements, codes, result, {"data"})

    def _control(self) -> None:
        """Write what a step makes of actions, unless the actuators get them as they are."""
        physics, space = self.t.physics, self.f.original.inner.action_space
        if physics.is_plain:
            return
        low, high = np.asarray(space.low), np.asarray(space.high)  # type: ignore[attr-defined]
        same = len(low) == self.f.original.model.nu and len({*low, *high}) == 2
        self.limits = (low[0].item(), high[0].item()) if same else (low.tolist(), high.tolist())
        codes = {word: code_of(value) for word, value in physics.fields.items()}
        early = [s for s in self.t.statements if s.phase == BEFORE or s.static]
        result: ast.expr = ast.Dict([ast.Constant(n) for n in codes], [*codes.values()])
        if [*codes] == ["ctrl"]:
            (result,) = codes.values()
        head, taken = "control(self, data, action)", {"data", "action"}
        self._function(head, early, [*codes.values()], result, taken)

    def _step(self) -> None:
        _, reward, terminated, truncated, info = self.f.results
        if not is_static(truncated) or plain(truncated):
            raise NotWritten("step: found `truncated` of its own, expected the time limit's alone")
        if np.ndim(plain(reward)):
            raise NotWritten("step: found a reward with axes, expected one number")
        # rewards and infos: those that a reset has, too, are of the state alone
        terms = terms_of(reward, info, self.t.statements)
        reported = self._reported(terms.info)
        first = self.f.first_info.items if isinstance(self.f.first_info, Several) else {}
        of_state = {n: v for n, v in reported.items() if n in first}
        later = {n: code_of(v) for n, v in reported.items() if n not in first}
        if of_state:
            codes = [code_of(v) for v in of_state.values()]
            statements, found = self._of_state(codes, "info")
            result = ast.Dict([ast.Constant(n) for n in of_state], found)
            self._function("info(self, data)", statements, found, result, {"data"})
        # the outcome
        given: list[ast.expr] = [
            ast.Dict([ast.Constant(n) for n in terms.named], [*terms.named.values()])
        ]
        options: dict[str, ast.expr] = {}
        if not is_static(terminated):
            options["terminated"] = code_of(terminated)
        elif plain(terminated):
            raise NotWritten("step: found an episode that ends with its first step")
        if later:
            options["info"] = ast.Dict([ast.Constant(n) for n in later], [*later.values()])
        if terms.rest is not None:
            options["unreported"] = terms.rest
        keywords = {"reward": given[0], **options}
        result = called(attribute(name("mjenv"), "Outcome"), **keywords)
        # new values of the task's own arrays, and what both need from before the physics
        new = {word: self.t.attributes[key] for key, word in self.f.own.items()
               if key in self.t.attributes}  # fmt: skip
        update = ast.Dict([ast.Constant(n) for n in new], [_state_code(v) for v in new.values()])
        carried = self._before([result, update])
        after = [s for s in self.t.statements if s.phase == AFTER or s.static or not (
            set(s.targets) & set(carried))]  # fmt: skip
        rename = Renamed({}, carried)
        after = [Statement(s.targets, rename.visit(_copied(s.node)), s.phase, s.static, s.changes)
                 for s in after]  # fmt: skip
        arguments, taken = "(self, data, action, before)", {"data", "action", "before"}
        result = rename.visit(result)
        self._function(f"outcome{arguments}", after, [result], result, taken)
        if new:
            update = rename.visit(update)
            self._function(f"update{arguments}", after, [update], update, taken)

    def _reported(self, info: dict[str, Value]) -> dict[str, Value]:
        """Infos that are numbers."""
        found = {}
        for word, value in info.items():
            if isinstance(value, Rows) and np.asarray(value.value).dtype.kind in "fiub":
                found[word] = value
            elif isinstance(value, Static) and np.asarray(value.value).dtype.kind in "fiub" and (
                np.ndim(value.value) == 0
            ):  # fmt: skip
                found[word] = Rows(value.value, everywhere(code_of(value)))
            else:
                self.left_out.append(str(word))
        return found

    def _before(self, results: list[ast.expr]) -> dict[str, ast.expr]:
        """Write what is needed of the state before a step; how the others read it."""
        # values from before the physics that depend on the data
        chosen = needed(self.t.statements, results)
        early = [s for s in chosen if s.phase == BEFORE and not s.static]
        depends: set[str] = set()
        for one in early:
            if one.reads & depends or "data" in one.reads:
                depends |= set(one.targets)
        late = [s for s in chosen if s.phase == AFTER]
        read = {w for s in late for w in s.reads} | _names(results)
        words = [w for s in early for w in s.targets if w in read and w in depends]
        if not words:
            return {}
        made = needed(self.t.statements, [name(w) for w in words])
        if "action" in {w for s in made for w in s.reads}:
            raise NotWritten(
                "step: found values of the action and of the state before the physics, expected "
                "such values in inputs of the physics alone"
            )
        # their names, and copies of what are views
        plain_words = [w.partition(MARK)[0] for w in words]
        if len(set(plain_words)) < len(words):
            plain_words = [f"{w}_{k}" for k, w in enumerate(plain_words)]
        known = definitions(self.t.statements)
        statements = list(self.t.statements)
        items: list[ast.expr] = []
        for word in words:
            code = known.get(word)
            view = isinstance(code, ast.Subscript | ast.Attribute)
            items.append(called(attribute(name(word), "copy")) if view else name(word))
        if len(words) == 1 and isinstance(items[0], ast.Call):
            code = called(attribute(known[words[0]], "copy"))
            self._function("before(self, data)", statements, [code], code, {"data"})
        elif len(words) == 1:
            self._function("before(self, data)", statements, items, items[0], {"data"})
        else:
            result = ast.Dict([ast.Constant(n) for n in plain_words], items)
            self._function("before(self, data)", statements, items, result, {"data"})
            return {w: ast.Subscript(name("before"), ast.Constant(n), ast.Load())
                    for w, n in zip(words, plain_words, strict=True)}  # fmt: skip
        return {words[0]: name("before")}

    def _used_methods(self) -> list[MethodOf]:
        """Methods that others call, in the order of their calls."""
        known = {one.word: one for one in self.t.methods.values()}
        found: dict[str, MethodOf] = {}
        nodes = list(self.nodes)
        while nodes:
            for one in ast.walk(nodes.pop(0)):
                if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and (
                    one.value.id == "self" and one.attr in known and one.attr not in found
                ):  # fmt: skip
                    method = known[one.attr]
                    found[one.attr] = method
                    nodes += [*(s.node for s in method.statements), method.result]
        return list(found.values())

    def _method(self, method: MethodOf) -> None:
        arguments = ["self", *(["data"] if method.reads_data else []), *method.arguments]
        head = f"{method.word}({', '.join(arguments)})"
        self._function(
            head, method.statements, [method.result], method.result, set(arguments), method.doc
        )


def _names(codes: Any) -> set[str]:
    return {n.id for code in codes for n in ast.walk(code) if isinstance(n, ast.Name)}


def _copied(node: Any) -> Any:
    """A copy of an expression or statement."""
    if isinstance(node, list):
        return [_copied(one) for one in node]
    if not isinstance(node, ast.AST):
        return node
    return type(node)(**{word: _copied(getattr(node, word, None)) for word in node._fields})


def _fresh(one: Statement) -> Statement:
    """A copy of a statement."""
    return Statement(one.targets, _copied(one.node), one.phase, one.static, one.changes, one.draws)


def _state_code(value: Value) -> ast.expr:
    """A new value of an array of the task's own."""
    return code_of(value if not isinstance(value, Static) else Static(value.value))


def _add_parts(
    parts: dict[str, ast.expr], code: ast.expr, known: dict[str, ast.expr], word: str
) -> None:
    """Add the parts of an observation, with names."""
    resolved = known.get(code.id) if isinstance(code, ast.Name) else code
    function = ast.unparse(resolved.func) if isinstance(resolved, ast.Call) else ""
    if function == "np.concatenate" and isinstance(resolved, ast.Call) and isinstance(
        resolved.args[0], ast.List
    ):  # fmt: skip
        for one in resolved.args[0].elts:
            _add_part(parts, one, known)
        return
    _add_part(parts, code, known, word)


def _add_part(
    parts: dict[str, ast.expr], code: ast.expr, known: dict[str, ast.expr], word: str = ""
) -> None:
    inner = known.get(code.id) if isinstance(code, ast.Name) else code
    if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "np.concatenate" and not word:
        _add_parts(parts, code, known, word)
        return
    base = word or part_name(code)
    free, number = base, 2
    while free in parts:
        free, number = f"{base}_{number}", number + 1
    parts[free] = code


def part_name(code: ast.expr) -> str:
    """A name for a part of an observation."""
    if isinstance(code, ast.Name):
        return code.id.partition(MARK)[0]
    # a field, or one of a named body
    if isinstance(code, ast.Attribute):
        of = code.value
        if isinstance(of, ast.Call) and of.args and isinstance(of.args[0], ast.Constant):
            return _identifier(f"{of.args[0].value}_{code.attr}")
        return code.attr
    if isinstance(code, ast.Subscript):
        return part_name(code.value)
    if isinstance(code, ast.Call):
        function = code.func
        word = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
        if word in ("reshape", "copy", "astype"):
            assert isinstance(function, ast.Attribute)
            return part_name(function.value)
        if word in ("clip", "stack", "array") and code.args:
            inner = code.args[0]
            return part_name(inner.elts[0] if isinstance(inner, ast.List) else inner)
        inner_word = part_name(code.args[0]) if code.args else ""
        return _identifier(f"{word}_{inner_word}".strip("_"))
    if isinstance(code, ast.BinOp):
        return part_name(code.left)
    if isinstance(code, ast.UnaryOp):
        return part_name(code.operand)
    return "part"


def _identifier(text: str) -> str:
    return "".join(one if one.isalnum() else "_" for one in text)
