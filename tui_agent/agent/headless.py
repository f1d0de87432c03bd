"""One message and its answer without a screen."""

from collections.abc import Sequence

from tui_agent.agent.connection import Report
from tui_agent.agent.headless_commands import command, command_in
from tui_agent.agent.headless_run import Output, Run
from tui_agent.agent.headless_streams import Streams, opened
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.turn import text_parts
from tui_agent.core.entries import Part
from tui_agent.core.mentions import Mention
from tui_agent.errors import TuiAgentError, UsageError
from tui_agent.language import _

LATEST = "latest"
"""In place of a session's id: the one that was changed last."""


async def say(
    services: Services,
    prompt: str,
    session_id: str | None,
    output: Output,
    streams: Streams,
    mentions: Sequence[Mention] = (),
) -> int:
    """Say `prompt` in a session, a new one if none is named, and print the answer.

    An empty prompt goes on where the session waits for an approval, which the approval mode may give now. `mentions`
    are what may be files of the directory in a message: those that are go with it, the others are told.

    Raises:
        UsageError: there is nothing to say, or an unknown command was given.
    """
    async with opened(services):
        session = await _session(services, session_id, streams)
        run = Run(services, session, output, streams)
        try:
            report = streams.note if output == "text" else lambda words: None
            return await _carried_out(run, prompt, mentions, report)
        except UsageError:
            raise
        except TuiAgentError as error:
            return run.fail(error)
        finally:
            await session.close()


async def _carried_out(run: Run, prompt: str, mentions: Sequence[Mention], report: Report) -> int:
    if (name := command_in(prompt)) is not None:
        return await command(name)(run, prompt[len(name) :].strip())
    if not prompt.strip() and pending_approval(run.session) is None:
        raise UsageError(
            _("There is nothing to say."), _("The prompt is empty."), _('Write it after -p: tui-agent -p "Hello"')
        )
    run.warn_of(await run.services.connect(report))
    await run.tell_of_instructions()
    turn = run.new_turn()
    return await run.follow(turn.say(_parts(run, prompt, mentions)) if prompt.strip() else turn.resume())


def _parts(run: Run, prompt: str, mentions: Sequence[Mention]) -> tuple[Part, ...]:
    if not mentions:
        return text_parts(prompt)
    from tui_agent.agent.attaching import with_files  # most messages need nothing of it

    message = with_files(run.services.directory, prompt, mentions)
    for told in message.told:
        run.tell(told)
    return (*text_parts(message.text), *message.pictures)


async def _session(services: Services, session_id: str | None, streams: Streams) -> Session:
    if session_id == LATEST:
        listed = await services.sessions()
        if not listed:
            streams.note(_("There is no session to continue yet; this is the first."))
        session_id = listed[0].id if listed else None
    return await services.open_session(session_id) if session_id else services.new_session()
