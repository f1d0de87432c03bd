"""Writes the table of windows anew from a catalogue: `python -m tui_agent.model.refresh_windows CATALOGUE.json`.

The catalogue is `model_prices_and_context_window_backup.json` as it comes with litellm (MIT licence): an object of
models with `mode`, `litellm_provider`, `max_input_tokens`. Only models of their own makers are taken, and a name is
written down only where a shorter one does not already say the same.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from tui_agent.model.window_table import TABLE_FILE, plain_name
from tui_agent.whole_files import replace_file

MAKERS = (
    "openai",
    "anthropic",
    "gemini",
    "deepseek",
    "mistral",
    "xai",
    "moonshot",
    "zai",
    "dashscope",
    "cohere_chat",
    "minimax",
    "meta_llama",
)
"""In order of precedence, where two of them offer a model of the same name."""

FAMILIES = {
    "claude": 200_000,
    "deepseek": 65_536,
    "gemini": 1_048_576,
    "glm": 128_000,
    "gpt-6": 922_000,
    "gpt-oss": 131_072,
    "grok": 131_072,
    "kimi": 131_072,
    "llama-3": 128_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "qwen3": 129_024,
}
"""What is said of members that the catalogue does not know."""


def windows_in(catalogue: dict[str, Any]) -> dict[str, int]:
    """The window of each plain name."""
    windows = dict(FAMILIES)
    for maker in reversed(MAKERS):
        for name, model in catalogue.items():
            if not isinstance(model, dict) or model.get("litellm_provider") != maker or name.startswith("ft:"):
                continue
            tokens = model.get("max_input_tokens")
            if isinstance(tokens, int) and model.get("mode") in ("chat", "responses"):
                windows[plain_name(name)] = tokens
    return windows


def shortened(windows: dict[str, int]) -> dict[str, int]:
    """The windows without the names whose longest known beginning says the same."""
    kept: dict[str, int] = {}
    for name in sorted(windows, key=lambda each: (len(each), each)):
        if _said_by_beginning(name, kept) != windows[name]:
            kept[name] = windows[name]
    return dict(sorted(kept.items()))


def _said_by_beginning(name: str, kept: dict[str, int]) -> int | None:
    for length in range(len(name) - 1, 0, -1):
        if not name[length].isalnum() and name[:length] in kept:
            return kept[name[:length]]
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("catalogue", type=Path)
    parser.add_argument("--into", type=Path, default=Path(__file__).with_name(TABLE_FILE))
    options = parser.parse_args()
    catalogue = json.loads(options.catalogue.read_text(encoding="utf-8"))
    table = shortened(windows_in(catalogue))
    text = json.dumps({"windows": table}, indent=1, ensure_ascii=False) + "\n"
    replace_file(options.into, text.encode())
    print(f"{len(table)} names written to {options.into}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
