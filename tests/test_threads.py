"""The end of a loop, and of the program, waits for no thread that was lent."""

import asyncio
import subprocess
import sys
import threading
import time

from tui_agent.threads import end_without_waiting, lend_unawaited

PATIENCE = 20.0

STUCK = """
import asyncio, sys, threading
from tui_agent.threads import end_without_waiting, lend_unawaited

async def main():
    lend_unawaited()
    asyncio.ensure_future(asyncio.to_thread(threading.Event().wait))
    await asyncio.sleep(0)
    print("said before the end", end="")

asyncio.run(main())
end_without_waiting(7)
"""


def test_the_loop_ends_while_a_thread_is_still_at_something() -> None:
    may_end = threading.Event()
    has_ended = threading.Event()

    def work() -> None:
        may_end.wait(PATIENCE)
        has_ended.set()

    async def main() -> str:
        lend_unawaited()
        unfinished = asyncio.get_running_loop().run_in_executor(None, work)
        assert not unfinished.done()
        return await asyncio.to_thread(str, 42)

    assert asyncio.run(main()) == "42"
    assert not has_ended.is_set()
    may_end.set()
    assert has_ended.wait(PATIENCE)


def test_the_program_ends_while_a_thread_is_still_at_something_and_what_was_said_is_out() -> None:
    ended = subprocess.run([sys.executable, "-c", STUCK], capture_output=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, b"said before the end", b"")


def test_where_all_is_done_the_program_goes_on_to_its_end() -> None:
    async def main() -> None:
        lend_unawaited()
        await asyncio.to_thread(time.sleep, 0)

    asyncio.run(main())
    end_without_waiting(7)
