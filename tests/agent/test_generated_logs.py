"""A few of the sessions that `python -m tests.soak.generated_logs` rolls by the hundred thousand."""

import os

from tests.soak.generated_logs import roll

LOGS = int(os.environ.get("TUI_AGENT_LOGS", "250"))


def test_no_request_of_any_session_is_invalid_and_no_message_is_lost() -> None:
    findings = roll(range(LOGS))
    assert findings.invalid == []
    assert findings.lost == []
    for what in ("compactions", "stops", "crashes", "approvals asked again", "undos", "prunings", "rewinds"):
        assert findings.counts[what] >= LOGS // 20, f"the die hardly rolled any {what}"
