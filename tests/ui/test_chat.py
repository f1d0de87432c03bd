from pathlib import Path

import pytest
from textual import events
from textual.events import AppBlur, AppFocus, Key

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, Hang, chunk, raw, refuses, says
from tests.ui.screen_text import screen_lines, screen_text
from tests.ui.support import sitting
from tui_agent.core.entries import Compacted, ImagePart, TextPart
from tui_agent.core.events import CompactionEnded
from tui_agent.ui.second_press import AGAIN_SECONDS
from tui_agent.ui.widgets.blocks import AnswerBlock
from tui_agent.ui.widgets.status_bar import StatusLine


async def test_what_is_typed_is_sent_and_the_answer_stands_in_the_transcript(tmp_path: Path) -> None:
    with ModelServer(says("The answer is **42**.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.press(*"hello")
            await person.press("enter")
            await person.sees("The answer is 42.")
            assert server.requests[0].last_text == "hello"
            assert person.prompt_text == ""


async def test_a_long_answer_that_comes_at_once_stands_there_once(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(10_000))
    with ModelServer(says(pieces=[text])) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("go on, at length")
            await person.until(lambda: not person.conductor.desk.posting.is_behind)
            blocks = person.conductor.transcript.blocks
            shown = [blocks[key] for key in range(blocks.first, blocks.end)]
            assert [each.text == text for each in shown if isinstance(each, AnswerBlock)] == [True]


async def test_an_answer_of_nothing_but_white_space_is_told_as_a_fault_and_no_answer(tmp_path: Path) -> None:
    with ModelServer(raw(*[chunk({"content": "\n" * 500})] * 20, Hang()), says("Here I am.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.sees("white space")
            assert "empty answer" not in screen_text(person.app)
            assert [each.role for each in person.session.context().messages] == ["system", "user"]
            await person.say("again")
            await person.sees("Here I am.")


async def test_the_session_is_titled_by_its_first_message(tmp_path: Path) -> None:
    with ModelServer(says("Yes.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("Is the parser done?")
            await person.sees("─ Is the parser done?")


async def test_a_prompt_from_the_command_line_is_sent_at_once(tmp_path: Path) -> None:
    with ModelServer(says("Here I am.")) as server:
        async with sitting(server, tmp_path, prompt="where are you?") as person:
            await person.sees("Here I am.")
    assert server.requests[0].last_text == "where are you?"


async def test_what_is_sent_while_an_answer_is_written_waits_in_line(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("first answer", hold=gate, hold_after=1), says("second answer")) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("one")
            await person.until(gate.reached.is_set)
            await person.send("two")
            await person.sees("queued  two")
            gate.open()
            await person.sees("second answer")
            assert "queued" not in person.seen
            assert [request.last_text for request in server.requests] == ["one", "two"]


async def test_what_still_waits_when_the_next_answer_begins_says_that_escape_stops_it(tmp_path: Path) -> None:
    first, second = Gate(), Gate()
    with ModelServer(says("one.", hold=first), says("two.", hold=second), says("three.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("1")
            await person.until(first.reached.is_set)
            await person.send("2")
            await person.send("3")
            first.open()
            await person.until(second.reached.is_set)
            await person.sees("Esc stops the answer and takes it back")
            second.open()
            await person.sees("three.")


async def test_escape_stops_the_answer_and_keeps_what_has_arrived(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("partial words that go on", hold=gate, hold_after=2)) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("go")
            await person.sees("partial words")
            await person.press("escape")
            await person.until(lambda: not person.conductor.desk.is_busy)
            await person.sees("stopped by the user")
            assert "partial words" in person.seen
            assert gate.left.wait(5)


async def test_what_waited_when_the_answer_was_stopped_is_back_in_the_prompt(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("long answer", hold=gate, hold_after=1)) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("go")
            await person.until(gate.reached.is_set)
            await person.send("and then this")
            await person.type("half a thou")
            await person.press("escape")
            await person.until(lambda: person.prompt_text != "half a thou")
            assert person.prompt_text == "and then this\n\nhalf a thou"
            assert "queued" not in person.seen


async def test_what_waits_for_a_model_says_how_to_take_it_back(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, base_url="http://127.0.0.1:9/v1", model="") as person:
            await person.sees("Get started")
            for words in ("one", "two", "three", "four", "five"):
                await person.send(words)
            await person.sees("queued  three")
            await person.sees("and 2 more")
            await person.sees("Esc takes it back into the prompt")
            await person.press("escape")
            await person.until(lambda: person.prompt_text == "one\n\ntwo\n\nthree\n\nfour\n\nfive")
            assert "queued" not in person.seen


async def test_what_is_taken_back_keeps_its_picture_and_the_message_whose_place_it_takes(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, base_url="http://127.0.0.1:9/v1", model="") as person:
            await person.has_said("before")
            person.conductor.unsent.edit(1, "look again")
            person.conductor.unsent.attach(ImagePart("data:image/png;base64,aGk=", "cat.png"))
            await person.press("enter")
            await person.sees("queued  look again")
            await person.press("escape")
            await person.sees("editing #1")
            await person.sees("with [cat.png]")
            parts, seq = person.conductor.unsent.take(person.prompt_text)
            assert [type(part) for part in parts] == [TextPart, ImagePart]
            assert seq == 1


@pytest.mark.parametrize("size", [(120, 40), (101, 30), (80, 24), (60, 20), (40, 12)])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_empty_prompt_says_nothing_that_is_cut(tmp_path: Path, size: tuple[int, int], language: str) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=size, language=language) as person:
            row = person.app.screen.query_one("#prompt").content_region
            await person.until(lambda: screen_lines(person.app)[row.y][row.x :].strip(" │")[-1:] in (".", "。"))
            assert not screen_lines(person.app)[row.y + 1][row.x : row.right].strip("─╯ ")


async def test_an_unknown_command_is_told_and_stays_in_the_prompt(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.send("/compcat now")
            await person.sees("There is no command /compcat; nothing was sent.")
            assert person.prompt_text == "/compcat now"


async def test_an_error_of_the_endpoint_stands_in_the_transcript_with_its_brackets(tmp_path: Path) -> None:
    with ModelServer(refuses(400, {"message": "[red]oops[/red] [/x] [@click=app.quit]x[/]"})) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.sees("[red]oops[/red] [/x] [@click=app.quit]x[/]")


async def test_retry_asks_the_last_question_again(tmp_path: Path) -> None:
    with ModelServer(says("bad answer"), says("good answer")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("question")
            await person.send("/retry")
            await person.sees("good answer")
            assert server.requests[1].texts == server.requests[0].texts


async def test_an_edited_message_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    with ModelServer(says("about cats"), says("about dogs")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("tell me about cats")
            await person.press("escape", "escape")
            await person.sees("Your messages")
            await person.press("enter")
            await person.until(lambda: person.prompt_text == "tell me about cats")
            await person.sees("editing #")
            person.conductor.prompt.write("tell me about dogs")
            await person.press("enter")
            await person.sees("about dogs")
            assert "tell me about cats" not in " ".join(server.requests[1].texts)
            assert "editing #" not in person.seen


async def test_escape_leaves_an_edit_and_the_message_as_it_was(tmp_path: Path) -> None:
    with ModelServer(says("about cats")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("tell me about cats")
            await person.send("/edit")
            await person.sees("Your messages")
            await person.press("enter")
            await person.sees("editing #")
            await person.press("escape")
            assert person.prompt_text == ""
            assert "editing #" not in person.seen


async def test_a_second_person_hears_that_the_session_is_open_elsewhere(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("mine")
            held = person.session
            async with sitting(server, tmp_path, resume=held.id) as second:
                await second.until(lambda: second.conductor.view.session is not None)
                opened = second.session
                assert opened.id != held.id
                await second.sees("Open in another window")
                await second.press("enter")
                await second.sees("mine")
                await second.press("ctrl+n")
                await second.conductor.command("resume", held.id)
                await second.sees("Open in another window")
                await second.press("down", "enter")
                await second.until(lambda: second.conductor.view.session is not None)
                await second.sees("mine")


async def test_unsent_text_is_there_again_when_the_session_is_resumed(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.type("a thought not finished")
            await person.press("ctrl+q")
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.until(lambda: person.prompt_text == "a thought not finished")
            assert "hello" in person.seen


async def test_text_kept_before_there_was_a_session_is_not_offered_again_once_it_was_sent(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path) as person:
            await person.type("hello")
            await person.press("ctrl+q")
        async with sitting(server, tmp_path) as person:
            await person.until(lambda: person.prompt_text == "hello")
            await person.press("enter")
            await person.sees("yes")
            await person.press("ctrl+n")
            await person.until(lambda: "yes" not in person.seen)
            assert person.prompt_text == ""
            await person.press("ctrl+q")
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.sees("yes")
            assert person.prompt_text == ""


async def test_a_command_whose_keys_come_in_one_burst_keeps_its_argument(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path, directory=tmp_path) as person:
            await person.say("hello")
            await person.type("/exp")
            prompt = person.conductor.prompt
            await person.until(lambda: prompt.completing)
            prompt.add("ort html")  # and Enter, before anybody has heard of what was added
            prompt.action_send()
            await person.sees("Written to")
            assert ".html" in person.seen


async def test_what_is_typed_in_one_burst_over_a_message_is_text_from_its_first_letter_on(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.press("alt+up")
            for character in "!sleep 30":  # e, p and space would act on the message
                person.app.post_message(
                    Key({"!": "exclamation_mark", " ": "space"}.get(character, character), character)
                )
            await person.until(lambda: person.prompt_text == "!sleep 30")


async def test_history_is_remembered_across_sessions(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("words of yesterday")
            await person.press("ctrl+q")
        async with sitting(server, tmp_path) as person:
            await person.press("up")
            assert person.prompt_text == "words of yesterday"


async def test_two_windows_keep_what_the_other_has_sent(tmp_path: Path) -> None:
    with ModelServer(*(says("yes") for _ in range(3))) as server:
        async with sitting(server, tmp_path) as first, sitting(server, tmp_path) as second:
            await first.say("from the first window")
            await second.say("from the second window")
            await first.say("from the first again")
            await first.press("ctrl+q")
            await second.press("ctrl+q")
        async with sitting(server, tmp_path) as later:
            seen = []
            for _ in range(3):
                await later.press("up")
                seen.append(later.prompt_text)
            assert seen == ["from the first again", "from the first window", "from the second window"]


async def test_the_gauge_moves_with_every_key(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, context_window=4096) as person:
            before = person.conductor.screen.query_one(StatusLine).gauge
            await person.type("a long thought " * 40)
            await person.until(lambda: person.conductor.screen.query_one(StatusLine).gauge != before)
            now = person.conductor.screen.query_one(StatusLine).gauge
            assert before is not None
            assert now is not None
            assert now.tokens > before.tokens
            assert now.parts.unsent > 0


async def test_ctrl_c_clears_then_asks_and_quits_at_the_second_press(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.type("never mind")
            await person.press("ctrl+c")
            assert person.prompt_text == ""
            await person.press("up")
            assert person.prompt_text == "never mind"
            await person.press("ctrl+c", "ctrl+c")
            await person.sees("Press Ctrl+C again to quit")
            await person.press("ctrl+c")
            await person.until(lambda: not person.app.is_running or person.app._exit)
            assert person.app.return_code == 0


async def test_what_a_second_ctrl_c_does_is_told_as_long_as_it_does_it_by_the_key_in_force(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, keys={"interrupt": "f10"}) as person:
            await person.press("f10")
            await person.is_told("Press F10 again to quit.")
            assert [each.timeout for each in person.app._notifications] == [AGAIN_SECONDS]
            await person.press("f10")
            await person.until(lambda: person.app._exit)


async def test_escape_and_ctrl_c_take_the_pictures_out_of_the_message_one_by_one(tmp_path: Path) -> None:
    with ModelServer(otherwise=says("OK.")) as server:
        async with sitting(server, tmp_path) as person:
            for name in ("cat.png", "dog.png", "elk.png"):
                person.conductor.unsent.attach(ImagePart("data:image/png;base64,aGk=", name))
            await person.sees("with [cat.png] [dog.png] [elk.png] · Esc removes the last")
            await person.type("look")
            await person.press("escape")
            await person.is_told("[elk.png] does not go with the message any more.")
            await person.sees("with [cat.png] [dog.png] · Esc removes the last")
            await person.press("ctrl+c")
            await person.sees("with [cat.png] · Esc removes it")
            await person.press("escape")
            await person.until(lambda: "with [" not in person.seen)
            assert person.prompt_text == "look"
            assert not person.app._exit
            await person.say("")
            assert server.requests[-1].texts[-1] == "look"
            assert "image_url" not in str(server.requests[-1].body)


async def test_ctrl_d_quits_only_on_an_empty_prompt(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.type("ab")
            await person.press("home", "ctrl+d")
            assert person.prompt_text == "b"
            await person.press("ctrl+d", "ctrl+d")
            await person.until(lambda: person.app._exit)


async def test_quitting_asks_while_an_answer_is_written(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("long answer", hold=gate, hold_after=1)) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("go")
            await person.until(gate.reached.is_set)
            await person.press("ctrl+q")
            await person.sees("An answer is being written")
            await person.press("n")
            assert not person.app._exit
            await person.press("ctrl+q")
            await person.sees("An answer is being written")
            await person.press("y")
            await person.until(lambda: person.app._exit)


async def test_typing_while_the_transcript_has_the_focus_goes_into_the_prompt(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            person.conductor.transcript.focus()
            await person.press(*"hello?")
            assert person.prompt_text == "hello?"
            assert person.conductor.prompt.has_focus


async def test_of_what_is_typed_in_one_go_before_the_prompt_has_the_focus_nothing_is_lost(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            person.conductor.screen.set_focus(None)
            for key, character in (("i", "i"), ("s", "s"), ("question_mark", "?"), ("question_mark", "?")):
                person.app.post_message(Key(key, character))
            await person.until(lambda: len(person.prompt_text) == 4)
            assert person.prompt_text == "is??"


async def test_enter_right_before_another_window_is_turned_to_sends(tmp_path: Path) -> None:
    with ModelServer(says("Yes.")) as server:
        async with sitting(server, tmp_path) as person:
            await person.press(*"Is it done")
            person.app.post_message(Key("enter", "\r"))
            person.app.post_message(AppBlur())
            await person.sees("Yes.")
            assert person.prompt_text == ""
            assert person.app.focused is None
            person.app.post_message(AppFocus())
            await person.until(lambda: person.conductor.prompt.has_focus)


async def test_keys_of_the_settings_are_used(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, keys={"help": "f9", "nonsense": "f10"}) as person:
            await person.sees("[keys] names no binding: nonsense")
            await person.press("f9")
            await person.sees("F9")
            await person.sees("In the chat")


async def test_what_is_pasted_beside_the_prompt_goes_into_it_before_the_keys_behind(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            person.conductor.screen.transcript.focus()
            await person.pilot.pause()
            person.app.post_message(events.Paste("one\ntwo"))
            await person.until(lambda: person.prompt_text == "one\ntwo")
            await person.press("!")
            assert person.prompt_text == "one\ntwo!"


@pytest.mark.parametrize("model", ["", "fake-model"])
async def test_a_compaction_made_without_a_model_is_told_as_such(tmp_path: Path, model: str) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("first", "second")
            compacted = Compacted(None, person.session.checkpoint.seq, (), "- first", model=model, folded=2)
            person.conductor.show_events([*await person.session.append(compacted), CompactionEnded(applied=True)])
            await person.sees("Old messages are in the summary now")
            assert ("made without a model" in " ".join(person.seen.split())) is (model == "")
