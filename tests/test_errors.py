"""The tree of errors is drawn as it is."""

import re

import pytest

from tui_agent import errors
from tui_agent.errors import TuiAgentError


def test_the_tree_that_is_drawn_is_the_tree_there_is() -> None:
    parents: dict[str, str] = {}
    above: list[str] = []
    for indent, name in re.findall(r"^    ((?:[│ ]   )*)(?:[├└]── )?([A-Z]\w+)", errors.__doc__ or "", re.MULTILINE):
        depth = len(indent) // 4 + (name != "TuiAgentError")
        above[depth:] = [name]
        if depth:
            parents[name] = above[depth - 1]
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, TuiAgentError)]
    assert parents == {each.__name__: each.__bases__[0].__name__ for each in kinds if each is not TuiAgentError}


@pytest.mark.parametrize("said", [("a.", "b.", "c."), ("a.", "", "c.")])
def test_an_error_says_all_it_has_to_say(said: tuple[str, str, str]) -> None:
    assert str(TuiAgentError(*said)) == " ".join(filter(None, said))
