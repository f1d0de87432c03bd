"""A tool server by hand, whose tools' names, titles, descriptions, answers and complaints are all hostile."""

import json
import sys

from tests.soak.sinks import HOSTILE

TEXTS = [text.replace("\ud83d", "?") for text in HOSTILE]


def _tools() -> list[dict[str, object]]:
    schema = {"type": "object", "properties": {"p": {"type": "string", "description": TEXTS[0]}}}
    return [
        {"name": text, "title": text, "description": text, "inputSchema": schema} for text in TEXTS
    ]  # fmt: skip


def _answer(asked: dict[str, object]) -> dict[str, object]:
    match asked["method"]:
        case "initialize":
            params = asked["params"]
            assert isinstance(params, dict)
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": TEXTS[2], "version": TEXTS[3]},
                "instructions": TEXTS[4],
            }
        case "tools/list":
            return {"tools": _tools()}
        case "tools/call":
            return {"content": [{"type": "text", "text": "\n".join(TEXTS)}], "isError": asked["id"] == 4}
        case _:
            return {}


def main() -> None:
    """Answers until its input ends."""
    sys.stderr.reconfigure(errors="replace")  # type: ignore[union-attr]
    print("\n".join(TEXTS), file=sys.stderr, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": _answer(asked)}), flush=True)


if __name__ == "__main__":
    main()
