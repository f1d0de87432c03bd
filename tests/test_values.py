import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace

import pytest
from textual.message import Message

from tui_agent.values import frozen, mutable, posted


@frozen
class Place:
    row: int
    column: int = 0


@frozen
class Note:
    text: str
    place: Place = Place(1)
    marks: tuple[str, ...] = ()
    seen: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="", repr=False)


@frozen
class Nothing:
    pass


@frozen
class Tidy:
    words: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self.words.strip())


@dataclass(frozen=True, slots=True)
class Standard:
    row: int
    column: int = 0


OTHERS: list[object] = [Standard(1), (1, 0), 1, None]
"""What is no place, though some of it holds the same."""


def test_a_value_takes_its_fields_by_place_and_by_name() -> None:
    assert (Place(3).row, Place(3).column) == (3, 0)
    assert Place(column=4, row=3) == Place(3, 4)
    with pytest.raises(TypeError, match="row"):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="depth"):
        Place(1, depth=2)  # type: ignore[call-arg]


def test_values_are_equal_when_what_counts_in_them_is() -> None:
    assert Note("a") == Note("a", seen=["b"])
    assert Note("a") != Note("b")
    assert all(Place(1) != other for other in OTHERS)
    assert hash(Note("a")) == hash(Note("a", seen=["b"]))
    assert len({Place(1), Place(1, 0), Place(2)}) == 2
    assert Nothing() == Nothing()


def test_each_value_has_a_default_of_its_own_where_it_could_be_changed() -> None:
    assert Note("a").seen is not Note("a").seen


def test_nothing_in_a_value_can_be_changed() -> None:
    place = Place(1)
    with pytest.raises(FrozenInstanceError):
        place.row = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        place.depth = 2  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        del place.row
    assert place == Place(1)
    assert not hasattr(place, "__dict__")


def test_a_value_says_what_is_in_it_but_no_secret() -> None:
    said = repr(Note("a", secret="sk-1"))
    assert said == "Note(text='a', place=Place(row=1, column=0), marks=(), seen=[])"


def test_the_standard_library_takes_a_value_for_one_of_its_own() -> None:
    assert is_dataclass(Note("a"))
    assert [each.name for each in fields(Place)] == ["row", "column"]
    assert replace(Note("a"), text="b") == Note("b")
    assert asdict(Note("a"))["place"] == {"row": 1, "column": 0}
    assert Place.__match_args__ == ("row", "column")
    for again in (copy.copy(Place(1, 2)), copy.deepcopy(Place(1, 2)), pickle.loads(pickle.dumps(Place(1, 2)))):
        assert again == Place(1, 2)


def test_a_value_can_set_itself_right_once_it_is_made() -> None:
    assert Tidy("  a ") == Tidy("a")
    assert replace(Tidy("a"), words=" b ").words == "b"


def test_a_value_without_a_docstring_is_described_by_its_fields() -> None:
    assert Place.__doc__ == "Place(row, column)"


@mutable
class Growing:
    text: str
    pieces: list[str] = field(default_factory=list)
    length: int = field(init=False)

    def __post_init__(self) -> None:
        self.length = len(self.text)


@posted
class Arrived(Message, bubble=False):
    text: str
    count: int = 1


def test_a_thing_that_changes_has_slots_and_equals_itself_alone() -> None:
    growing = Growing("ab")
    growing.text = "abc"
    assert repr(growing) == "Growing(text='abc', pieces=[], length=2)"
    assert growing == growing != Growing("abc")
    assert growing.pieces is not Growing("").pieces
    assert not hasattr(growing, "__dict__")
    with pytest.raises(TypeError, match="length"):
        Growing("", length=2)  # type: ignore[call-arg]


def test_a_widget_message_tells_its_fields_and_stays_what_it_was_declared_to_be() -> None:
    message = Arrived("a", count=2)
    assert (message.text, message.count, Arrived("b").count) == ("a", 2, 1)
    assert repr(message) == "Arrived(text='a', count=2)"
    assert not message.bubble
    assert not message.is_forwarded
    match message:
        case Arrived(text, count):
            assert (text, count) == ("a", 2)


def test_a_constructor_says_what_is_missing_each_time() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="text"):
            Arrived()  # type: ignore[call-arg]
