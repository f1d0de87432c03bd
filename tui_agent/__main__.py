"""`python -m tui_agent`: the same program as the `tui-agent` command."""

from tui_agent.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
