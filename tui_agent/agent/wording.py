"""The progress lines of compaction, in the interface's language. Shown and logged, never part of a context."""

from tui_agent.settings import Spoken
from tui_agent.values import frozen


@frozen
class Wording:
    """Templates of one language; `{...}` fields are filled with `str.format`."""

    merged: str
    no_summary: str
    failed: str
    nothing: str
    kept: str
    orders: str
    """Said when tools have put into the summary what reads like instructions."""

    short: str
    """Said when a compaction gained little."""

    paused: str
    stubbed: str
    title: str
    """What a session is called before anything was said."""


_WORDINGS: dict[Spoken, Wording] = {
    "en": Wording(
        merged="[history compaction: {count} old messages merged into 1 summary]",
        no_summary="[history compaction: the model produced no summary, keeping the original history]",
        failed="[history compaction failed: keeping the original history]",
        nothing="history compaction: no old messages to compact",
        kept="[history compaction: kept {kept} details verbatim, {left_out} left out]",
        orders="[history compaction: lines from tools that read like instructions: {count}; the panel marks them]",
        short="[history compaction: {reason}]",
        paused="[history compaction paused: {reason}]",
        stubbed="[{count} old tool results left out, {tokens} tokens freed; /unprune brings them back]",
        title="New session",
    ),
    "zh": Wording(
        merged="[历史压缩：{count} 条旧消息合并为 1 条摘要]",
        no_summary="[历史压缩：模型未产出摘要，保留原历史]",
        failed="[历史压缩失败：保留原历史]",
        nothing="历史压缩：没有可压缩的旧消息",
        kept="[历史压缩：逐字保留 {kept} 条明细，略去 {left_out} 条]",
        orders="[历史压缩：{count} 行来自工具的内容像是指令，已在面板中标出]",
        short="[历史压缩：{reason}]",
        paused="[历史压缩暂停：{reason}]",
        stubbed="[略去 {count} 条旧的工具输出，腾出 {tokens} 个 token；/unprune 可恢复]",
        title="新会话",
    ),
}


def wording(language: Spoken) -> Wording:
    """The progress lines in `language`."""
    return _WORDINGS[language]
