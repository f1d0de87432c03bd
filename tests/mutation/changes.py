"""Small changes to a module, one at a time: each is a mistake somebody could make, which a test should notice."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

_SWAPPED: dict[type, type] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_SAID = {"_", "N_", "ngettext", "TypeVar", "cast"}
"""Calls whose strings are words for the reader or the type checker, not behaviour."""

_UNREAD = {"annotation", "returns", "decorator_list", "keywords_of_class", "bases", "type_comment"}
_LISTS = ("body", "orelse", "finalbody", "cases")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Change:
    """One change, which `tree` holds while its turn lasts."""

    number: int
    place: str
    """The function or the name it is in, `Class.method` style."""

    is_at_import: bool
    """Whether it is in what is run when the module is imported."""

    lines: tuple[int, int]
    """The first and the last line of the expression, or of the statement's head."""

    what: str
    """What stands there, and what instead."""


def named(module: str, place: str, what: str) -> str:
    """A change as it is listed."""
    return f"{module} {place}: {what}"


def changes(tree: ast.Module) -> Iterator[Change]:
    """Every change to a module, in a fixed order; the tree is changed while the consumer looks, then put back."""
    numbers = count()
    for node, place, is_at_import in _nodes(tree, ()):
        for field, instead in _alternatives(node):
            before, old = getattr(node, field), _shown(node, field)
            setattr(node, field, instead)
            ast.fix_missing_locations(node)
            is_left_out = field in _LISTS and isinstance(before, list)
            what = _gone(before, instead) if is_left_out else f"{old} -> {_shown(node, field)}"
            at = node.iter if isinstance(node, ast.comprehension) else node
            last = at.end_lineno or at.lineno if isinstance(at, ast.expr) else at.lineno
            yield Change(next(numbers), ".".join(place), is_at_import, (at.lineno, last), what)
            setattr(node, field, before)


def _nodes(node: ast.AST, place: tuple[str, ...], inside: bool = False) -> Iterator[tuple[Any, tuple[str, ...], bool]]:
    """The nodes that may be changed, each with the place it is in; what stands only for readers is passed over."""
    if _is_said(node):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
        return
    if not inside and (_is_typing(node) or _is_wording(node)):
        return
    if isinstance(node, (ast.expr, ast.stmt, ast.comprehension)):
        yield node, place, not inside
    for field, value in ast.iter_fields(node):
        if field in _UNREAD:
            continue
        below = (*place, *_names(node, inside))
        in_function = inside or (field == "body" and isinstance(node, _FUNCTIONS))
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _nodes(child, below, in_function)


def _names(node: ast.AST, inside: bool) -> Iterator[str]:
    """What is added to the name of a place by going into this node."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) if not inside:
            yield ast.unparse(target).strip("()")


def _is_wording(node: ast.AST) -> bool:
    """Whether a constant is a sentence for a model or a reader; how well it says it no test of this kind can tell."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 1


def _is_typing(node: ast.AST) -> bool:
    """Whether a name is given to a type, or names are listed for who imports them."""
    if not isinstance(node, ast.Assign):
        return False
    value = node.value
    is_union = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)
    return is_union or isinstance(value, ast.Subscript) or ast.unparse(node.targets[0]) == "__all__"


def _is_said(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SAID


def _alternatives(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """For each change of this node: which field of it, and what it holds instead."""
    match node:
        case ast.Compare(ops=[operator]):
            yield "ops", [_SWAPPED[type(operator)]()]
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in _SWAPPED:
            yield "op", _SWAPPED[type(operator)]()
        case ast.BoolOp(op=operator, values=values):
            yield "op", _SWAPPED[type(operator)]()
            for place in range(len(values)):
                rest = values[:place] + values[place + 1 :]
                yield "values", rest if len(rest) > 1 else rest * 2
        case ast.UnaryOp(op=ast.Not()):
            yield "operand", _negated(node.operand)
        case ast.IfExp(test=test) | ast.If(test=test) if not isinstance(test, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
            yield "test", _negated(test)
        case ast.comprehension(ifs=[_, *_]):
            yield "ifs", []
        case ast.Constant(value=value) if value is not None and value is not Ellipsis:
            yield "value", _other(value)
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value=value) if value is not None:
            if not isinstance(value, ast.Constant):  # a constant has changes of its own
                yield "value", ast.Constant(None)
        case ast.Lambda():
            yield "body", ast.Constant(None)
        case ast.Call():
            yield from _calls(node)
        case _:
            pass
    yield from _bodies(node)


def _calls(call: ast.Call) -> Iterator[tuple[str, Any]]:
    """A positional argument becomes None, a named one is left out."""
    for place, given in enumerate(call.args):
        if not isinstance(given, (ast.Starred, ast.Constant, ast.GeneratorExp)) and not _is_said(given):
            yield "args", [*call.args[:place], ast.Constant(None), *call.args[place + 1 :]]
    for place, keyword in enumerate(call.keywords):
        if keyword.arg is not None:
            yield "keywords", call.keywords[:place] + call.keywords[place + 1 :]


def _bodies(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """A statement that acts is left out, a case of a match too."""
    for field in _LISTS[:3]:
        statements = getattr(node, field, None)
        if not isinstance(statements, list):
            continue
        for place, statement in enumerate(statements):
            instead: ast.stmt = ast.Pass()
            match statement:
                case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() | ast.YieldFrom()):
                    pass
                case ast.Raise() | ast.Delete() | ast.AugAssign():
                    pass
                case ast.Break():
                    instead = ast.Continue()
                case ast.Continue():
                    instead = ast.Break()
                case _:
                    continue
            yield field, [*statements[:place], instead, *statements[place + 1 :]]
    if isinstance(node, ast.Match) and len(node.cases) > 1:
        for place, case in enumerate(node.cases):
            if ast.unparse(case.body[0]) not in ("pass", "return None"):  # which is what happens without it
                yield "cases", node.cases[:place] + node.cases[place + 1 :]


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _other(value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case bytes():
            return b"XX" + value
        case _:
            return f"XX{value}XX"


def _shown(node: ast.AST, field: str) -> str:
    """The part of a node that a change is in; not all that stands in a branch whose condition is changed."""
    return _short(ast.unparse(getattr(node, field) if field == "test" else node))


def _gone(before: list[ast.AST], after: list[ast.AST]) -> str:
    """What is left out of a body, and what stands there instead."""
    gone = next(each for each in before if each not in after)
    return f"{_short(ast.unparse(gone))} left out"


def _short(text: str) -> str:
    """A change as it is listed: on one line, the middle left out when it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 90 else f"{flat[:60]} … {flat[-27:]}"
