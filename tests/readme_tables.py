"""The README's tables of keys, commands and settings, written from the code: `python -m tests.readme_tables`."""

from pathlib import Path

from tui_agent.settings.describe import descriptions
from tui_agent.ui.bindings import KEYS, PLACES
from tui_agent.ui.commands import COMMANDS, PREFIXES

README = Path(__file__).resolve().parents[1] / "README.md"

_NAMES = {
    "question_mark": "?",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "plus": "+",
    "minus": "-",
    "asterisk": "*",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def keys_table() -> str:
    """Every binding: where it acts, its keys, what it does, its id."""
    rows = []
    for place, heading in PLACES.items():
        rows.append(f"| **{heading}** | | |")
        rows += [f"| {spelled(key.keys)} | {cell(key.help)} | `{key.id}` |" for key in KEYS if key.place == place]
    return "\n".join(["| key | does | id |", "|---|---|---|", *rows])


def commands_table() -> str:
    rows = [f"| `{f'/{each.name} {each.argument}'.strip()}` | {cell(each.help)} |" for each in COMMANDS]
    rows += [f"| `{prefix}` | {cell(about)} |" for prefix, about in PREFIXES]
    return "\n".join(["| command | does |", "|---|---|", *rows])


def settings_table() -> str:
    rows = [
        f"| `{each.key or 'environment only'}` | `{each.variable}` | `{each.default}` | {cell(each.means)} "
        f"{'' if each.allowed == 'text' else cell(f'({each.allowed})')} |"
        for each in descriptions()
    ]
    return "\n".join(["| in config.toml | in the environment | default | means |", "|---|---|---|---|", *rows])


def spelled(keys: str) -> str:
    """`f3,ctrl+t` as `F3`, `Ctrl+T`, the way people write keys."""
    return ", ".join(f"`{_chord(key.split('+'))}`" for key in keys.split(","))


def _chord(parts: list[str]) -> str:
    if len(parts) == 1 and len(parts[0]) == 1:
        return parts[0]
    return "+".join(_NAMES.get(part) or part.title() for part in parts)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def with_tables(text: str) -> str:
    """The README with its tables as the code has them now."""
    for name, table in (("keys", keys_table()), ("commands", commands_table()), ("settings", settings_table())):
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, rest = text.split(begin, 1)
        text = f"{before}{begin}{table}\n{end}{rest.split(end, 1)[1]}"
    return text


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
