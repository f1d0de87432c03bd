import pytest

from tui_agent.context.summary import accepted, repeats, unwrapped
from tui_agent.errors import SummaryRejected

EXCUSE = " ".join(f"Part {place} of it is at odds with the one before it." for place in range(1, 12))


def why(text: str, finish: str | None = "stop", has_tool_calls: bool = False) -> str:
    with pytest.raises(SummaryRejected) as caught:
        accepted(text, finish, has_tool_calls)
    return str(caught.value)


@pytest.mark.parametrize(
    ("reply", "summary"),
    [
        ("  - a fact\n\n", "- a fact"),
        ("<analysis>mentions <summary> here</analysis><summary>real text", "real text"),
        ("<summary>real text</summary> trailing", "real text"),
        ("<think>plan</think>\nreal text", "real text"),
        ("<think>plan\nmore</think><analysis>x</analysis>\n<summary>\nreal text\n</summary>", "real text"),
        ("plan without an opening tag\n</think>\n\nreal text", "real text"),
        ("Here is the summary:\n<summary>real text</summary>", "real text"),
        ("real text</summary>", "real text"),
        ("<THINK>plan</THINK>real text", "real text"),
        ("<think>\n\n</think>\n\n- real text", "- real text"),
        ("<think>never closed\n<summary>real text", "real text"),
        ("```markdown\n- real text\n```", "- real text"),
        ("<record>\n- real text\n</record>", "- real text"),
        ("<conversation>real text</conversation>", "real text"),
        ("[SUMMARY]real text[/SUMMARY]", "real text"),
        ("--- BEGIN SUMMARY ---\nreal text\n--- END OF SUMMARY ---\n", "real text"),
        ("Here it is: <summary>real text</summary>", "real text"),
        ('<summary lang="en">real text</summary>', "real text"),
        ("<analysis>plan</think>\nreal text", "real text"),
        ("<think>plan</thinking>real text", "real text"),
        ("<analysis>plan, with </think> in it</analysis>\n<summary>real text</summary>", "real text"),
        ("<state_snapshot>\nreal text\n</state_snapshot>", "real text"),
        ("<compaction_summary>real text", "real text"),
        ("<output>real text</output>", "real text"),
        ("<|channel|>final<|message|>real text<|return|>", "real text"),
        (
            "<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>real text",
            "real text",
        ),
        ("real text\n</summary>\n--- END OF CONTEXT SUMMARY ---", "real text"),
        ("- <record> is the tag\n- done", "- <record> is the tag\n- done"),
        (
            "- the user asked what <think> and </summary> tags are for\n- done",
            "- the user asked what <think> and </summary> tags are for\n- done",
        ),
        ("- use the HTML <summary> element", "- use the HTML <summary> element"),
        ("\ufeff<think>plan</think>\n- real text", "- real text"),
        ("\u200e<summary>real text</summary>", "real text"),
        ("<summary><summary>real text</summary></summary>", "real text"),
        ("<摘要>真实内容</摘要>", "真实内容"),
        ("<要約>\n- 本文\n</要約>", "- 本文"),
    ],
)
def test_wrappers_are_taken_off(reply: str, summary: str) -> None:
    assert accepted(reply, "stop", False) == summary


@pytest.mark.parametrize(
    ("reply", "finish", "has_tool_calls", "reason"),
    [
        ("", "stop", False, "empty"),
        ("  \n\t", "stop", False, "empty"),
        ("<think>only thoughts</think>", "stop", False, "reasoning"),
        ("<think>only thoughts, never closed", "stop", False, "reasoning"),
        ("<summary></summary>", "stop", False, "no summary"),
        ("---\n***", "stop", False, "no words"),
        ("The user wants to ref", "length", False, "cut off"),
        ("The user wants to ref", None, False, "stopped before"),
        ("- a fact", "content_filter", False, "filtered"),
        ("- a fact", "tool_calls", False, "tool call"),
        ("", "tool_calls", True, "tool call"),
        ("- a fact", "stop", True, "tool call"),
        ('<tool_call>{"name":"bash","arguments":{}}</tool_call>', "stop", False, "tool call"),
        ("<|channel|>commentary to=functions.bash<|message|>{}", "stop", False, "tool call"),
        ("<|channel|>analysis<|message|>only thoughts", "stop", False, "reasoning"),
        ('```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```', "stop", False, "tool call"),
        ('{"name": "read_file", "parameters": {}}', "stop", False, "tool call"),
        ("<function=bash>ls</function>", "stop", False, "tool call"),
        ("I'm sorry, but I can't assist with that.", "stop", False, "refused"),
        ("I cannot help with this request.", "stop", False, "refused"),
        ("抱歉，我无法完成这个请求。", "stop", False, "refused"),
        ("I can’t help with that.", "stop", False, "refused"),
        (f"I can't produce this summary as requested. {EXCUSE}", "stop", False, "refused"),
        (f"I'm sorry, but I can't help with summarizing this. {EXCUSE}", "stop", False, "refused"),
        ("Lo siento, no puedo ayudar con eso.", "stop", False, "refused"),
        ("申し訳ありませんが、お応えできません。", "stop", False, "refused"),
        (f"<!DOCTYPE html><html><body>502 Bad Gateway {EXCUSE}", "stop", False, "error"),
        ("Request failed with status code 429", "stop", False, "error"),
        ('{"tool_calls": [{"function": {"name": "bash"}}]}', "stop", False, "tool call"),
        ("Error: 500 Internal Server Error", "stop", False, "error"),
        ("Error 500", "stop", False, "error"),
        ("[ERROR] generation failed", "stop", False, "error"),
        ("APIError: overloaded", "stop", False, "error"),
        ("503 Service Unavailable", "stop", False, "error"),
        ("429", "stop", False, "error"),
        ("Rate limit exceeded, try again in 20 s", "stop", False, "error"),
        ("Error code: 400 - {'error': {}}", "stop", False, "error"),
        ("net::ERR_INCOMPLETE_CHUNKED_ENCODING", "stop", False, "error"),
        ('{"error":{"message":"overloaded"}}', "stop", False, "error"),
        ("Request timed out.", "stop", False, "error"),
        ("HTTP 502 Bad Gateway", "stop", False, "error"),
        *(
            (said, "stop", False, "error")
            for said in (
                "错误：模型超时",
                "系统错误",
                "服务器繁忙，请稍后再试",
                "エラーが発生しました",
                "Ошибка: превышено время ожидания",
                "Fehler: Zeitüberschreitung",
                "Erreur 500",
                "An error occurred while processing your request.",
                "The server is overloaded. Please try again.",
                "**Error:** overloaded",
                '<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>',
                '{"message": "overloaded", "code": 500}',
                '{"error_code": 336100, "error_msg": "busy"}',
            )
        ),
        *(
            (said, "stop", False, "tool call")
            for said in (
                '{"function": {"name": "bash", "arguments": "{}"}}',
                '{"tool": "bash", "args": {}}',
                '{"action": "bash", "action_input": "ls"}',
                '[bash(command="ls")]',
                "```tool_code\nls\n```",
                "Action: bash\nAction Input: ls",
                'functions.bash({"command": "ls"})',
                "<tool_use><name>bash</name></tool_use>",
            )
        ),
        *(
            (said, "stop", False, "refused")
            for said in (
                "Ich kann diese Anfrage leider nicht bearbeiten.",
                "Leider kann ich das nicht zusammenfassen.",
                "Я не могу составить краткое изложение.",
                "要約することはできません。",
                "Je ne peux pas résumer cela.",
                "作为AI语言模型，我无法访问之前的内容。",
                "I do not have access to the conversation.",
                "I apologize, but I cannot continue.",
            )
        ),
        ("- OK\n" * 60, "stop", False, "repeats"),
        ("- a fact\n- b\n- a fact\n- c\n- A fact.", "stop", False, "repeats"),
        ("好的，" * 90, "stop", False, "repeats"),
        ("the same words again and again " * 40, "stop", False, "repeats"),
        ("\n".join(f"[{each}] The user asked about the weather." for each in range(9)), "stop", False, "repeats"),
    ],
)
def test_what_is_no_summary_is_refused_and_the_reason_said(
    reply: str, finish: str | None, has_tool_calls: bool, reason: str
) -> None:
    assert reason in why(reply, finish, has_tool_calls)


@pytest.mark.parametrize(
    ("reply", "finish", "reason"),
    [
        ("", "stop", "it is empty"),
        ("<think>plan</think>", "stop", "it holds reasoning but no summary"),
        ("---", "stop", "it holds no words"),
        ("- OK\n" * 3, "stop", "it repeats itself"),
        ("Error: no", "stop", "it is an error message"),
        ("I cannot help", "stop", "the model refused"),
        ("x", "function_call", "it is a tool call"),
        ("x", "error", "the endpoint reported an error"),
        ("x", "length", "it was cut off at its length limit"),
    ],
)
def test_a_refused_summary_says_what_is_wrong_what_it_means_and_what_to_do(
    reply: str, finish: str, reason: str
) -> None:
    assert why(reply, finish) == (
        f"The proposed summary cannot be used: {reason}. The messages stay as they are. "
        "Try again, choose another summary model, or compact later."
    )


@pytest.mark.parametrize("key", ["arguments", "parameters", "input"])
def test_a_call_written_as_json_is_told_from_an_object_with_a_name(key: str) -> None:
    assert "tool call" in why(f'{{"name": "f", "{key}": {{}}}}')
    assert "tool call" in why(f'[{{"name": "f", "{key}": {{}}}}]')
    assert accepted(f'{{"{key}": "is the word"}}', "stop", False)
    assert accepted('{"name": "f"}', "stop", False)


@pytest.mark.parametrize("key", ["error", "errors", "detail"])
def test_an_error_is_known_by_its_key_however_it_is_indented(key: str) -> None:
    assert "error" in why(f'  {{"{key}": "none of the words"}}')
    assert "error" in why(f'[{{"{key}": "x"}}, {{"other": 1}}]')


def test_only_a_short_text_can_be_a_refusal_or_an_error() -> None:
    at_limit = "I cannot help." + "x" * 286
    assert "refused" in why(at_limit)
    assert accepted(at_limit + "x", "stop", False)


def test_few_words_may_be_alike_and_many_may_not() -> None:
    assert not repeats("word " * 59)
    assert repeats("word " * 60)
    assert not repeats(" ".join(f"word{place % 9}" for place in range(60)))
    assert repeats(" ".join(f"word{place % 8}" for place in range(60)))
    assert not repeats("X fact X\nfact\nfact")


@pytest.mark.parametrize(
    ("reply", "is_error"),
    [
        ('[{"error": "no"}]', True),
        ('{"detail": "no"}', True),
        ('[1, "error"]', False),
        ("[] nothing", False),
        ('{"goal": "none"}', False),
        ("[" * 100_000 + " deep", False),
        ('{"wrong": ', False),
    ],
    ids=range(7),
)
def test_an_error_in_json_is_told_from_a_summary_in_brackets(reply: str, is_error: bool) -> None:
    if is_error:
        assert "error" in why(reply)
    else:
        assert accepted(reply, "stop", False) == reply.strip()


@pytest.mark.parametrize(
    "reply",
    [
        "- I'm sorry was the wording of the letter\n- The user cannot log in",
        "- The build failed with Error: 500 Internal Server Error [3]",
        "Goals:\n- None\nRules:\n- None\nFiles:\n- None\nFindings:\n- the port is 8081",
        "The user wants a parser that cannot fail.",
        "目标：\n- 无\n规则：\n- 无\n文件：\n- 无\n发现：\n- 端口是 8081",
        '- call read_file with {"path": "a"}',
        "用户：我无法登录，错误码 500",
        "错误率从 4.7% 降到 0.3%。",
        "異常検知は未完了、エラー率は 3% です。",
        "Ошибка в модуле оплаты исправлена.",
        "Fehler im Login behoben, Port 8081 bleibt.",
        "The server is down since noon; the user wants it restarted.",
        "Error rate fell from 4.7% to 0.3% after the rollback.",
        "TypeError in parse() was fixed; the tests pass.",
        "500 users at most, port 8081.",
        "Rate limit is 100 requests a minute.",
        "Upstream is nginx on 8443.",
        "Leider ist der Build kaputt, Port 8081 bleibt.",
        "К сожалению, сборка упала; порт 8081.",
        "He said that he can't log in and that the port is 8081.",
        "Timeouts were raised to 30 s.",
        "- ok",
    ],
)
def test_a_summary_that_tells_of_errors_and_refusals_is_accepted(reply: str) -> None:
    assert accepted(reply, "stop", False) == reply


def test_a_loop_shows_while_the_reply_is_still_arriving() -> None:
    assert repeats("- the port is 8081\n- OK\n- OK\n- OK\n- O")
    assert not repeats("- the port is 8081\n- OK\n- O")


def test_a_list_of_alike_facts_is_no_loop() -> None:
    facts = [f"- Part {each} lives in /srv/part-{each}/main.toml, checked on day {each}" for each in range(25)]

    assert not repeats("\n".join(facts))
    assert not repeats("\n".join(f"- 第 {each} 章在 chapters/{each}.md，已经检查过" for each in range(25)))


def test_unwrapping_any_text_ends_soon() -> None:
    for text in ("<think>" * 20_000, "</think>\n" * 20_000, "<summary>" * 20_000, "```" * 20_000, "<" * 100_000):
        assert len(unwrapped(text)) <= len(text)
