"""Opens the installed program's app on a headless screen, types, reads what is drawn, leaves."""

import asyncio
import tempfile
from pathlib import Path

from textual.widgets import TextArea

import tui_agent
from tui_agent.settings import Settings
from tui_agent.ui.app import TuiAgentApp


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=folder, embedded="off", base_url="http://127.0.0.1:9/v1", model="nobody")
        app = TuiAgentApp(settings)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press(*"hello")
            await pilot.pause()
            prompt = app.screen.query_one("#prompt", TextArea)
            assert prompt.text == "hello", prompt.text
            for part in ("#transcript", "#sidebar", "#status-bar", "#compact"):
                assert app.screen.query(part), part
            await pilot.press("f1")
            await pilot.pause()
            assert len(app.screen_stack) > 1, "F1 opens help"
            await pilot.press("escape")
    print(f"tui-agent {tui_agent.__version__} opens, takes keys and closes; run from {Path(tui_agent.__file__).parent}")


asyncio.run(main())
