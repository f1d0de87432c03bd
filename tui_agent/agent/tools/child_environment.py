"""The environment of programs started by tools: the user's own, without secrets and ways to slip code in."""

import os
import re
from collections.abc import Mapping, Sequence

_SECRET = re.compile(r"KEY|SECRET|TOKEN|PASSW|PASSPHRASE|CREDENTIAL", re.IGNORECASE)

_LOADS_CODE = re.compile(
    r"(?:LD|DYLD|OPENAI|TUI_AGENT)_.*|BASH_FUNC_.*|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|PS4|IFS|CDPATH"
    r"|PERL5OPT|PERL5DB|PYTHONSTARTUP|PYTHONINSPECT|RUBYOPT|LESSOPEN|LESSCLOSE|MANPAGER|RIPGREP_CONFIG_PATH",
    re.IGNORECASE,
)
"""Variables that make a shell or another program run something, or that are ours alone."""

_GIT_IDENTITY = re.compile(r"GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)")

_QUIET: Mapping[str, str] = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_TERMINAL_PROMPT": "0",
}
"""There is no terminal and no one to answer: no pager, no editor, no question."""

_SHORTEST_SECRET = 6
"""Values shorter than this are not looked for inside others; they would occur by chance."""


def child_environment(environ: Mapping[str, str] = os.environ, secrets: Sequence[str] = ()) -> dict[str, str]:
    """What of `environ` a child may see. `secrets` are values that must not occur in it under any name."""
    hidden = [secret for secret in secrets if len(secret) >= _SHORTEST_SECRET]
    kept = {
        name: value
        for name, value in environ.items()
        if _may_pass(name) and not any(secret in value for secret in hidden)
    }
    return {**kept, **_QUIET}


def _may_pass(name: str) -> bool:
    if name.startswith("GIT_"):
        return _GIT_IDENTITY.fullmatch(name) is not None
    return not _SECRET.search(name) and not _LOADS_CODE.fullmatch(name)
