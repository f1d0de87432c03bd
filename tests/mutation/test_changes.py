import ast

import pytest

from tests.mutation.__main__ import ROOT, explained
from tests.mutation.changes import changes, named


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a <= b", ["a < b"]),
        ("a - 1", ["a + 1", "a - 2"]),
        (
            "if a and b:\n    c()",
            ["if a and b:\n    pass", "if a or b:\n    c()", *(f"if {x} and {x}:\n    c()" for x in "ba")],
        ),
        ("if a:\n    c()", ["if not a:\n    c()", "if a:\n    pass"]),
        ("x = 'a'", ["x = 'XXaXX'"]),
        ("x = f(a, b=1)", ["x = None", "x = f(None, b=1)", "x = f(a)", "x = f(a, b=2)"]),
        ("for x in a:\n    break", ["for x in a:\n    continue"]),
        ("[x for x in a if not x]", ["[x for x in a]", "[x for x in a if not not x]"]),
        ("with a:\n    raise Fault(_('It failed.'))", ["with a:\n    pass"]),
        ("'Says what it is.'", []),
    ],
)
def test_each_mistake_that_could_be_made_is_made_once(source: str, expected: list[str]) -> None:
    tree = ast.parse(source)
    before = ast.dump(tree)

    assert [ast.unparse(tree) for _ in changes(tree)] == expected
    assert ast.dump(tree) == before


def test_a_change_says_where_it_is() -> None:
    tree = ast.parse("LIMIT = 3\nclass A:\n    size: int = 4\n    def f(self, x=5):\n        y = 1\n")

    assert [(change.place, change.is_at_import, change.lines, change.what) for change in changes(tree)] == [
        ("LIMIT", True, (1, 1), "3 -> 4"),
        ("A.size", True, (3, 3), "4 -> 5"),
        ("A.f", True, (4, 4), "5 -> 6"),
        ("A.f", False, (5, 5), "1 -> 2"),
    ]


def test_what_is_explained_can_still_be_made() -> None:
    made = set()
    for module in {line.partition(" ")[0] for line in explained()}:
        tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
        made |= {named(module, change.place, change.what) for change in changes(tree)}

    assert explained() <= made, sorted(explained() - made)
