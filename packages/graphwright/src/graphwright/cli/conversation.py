"""Run and show a turn on the command line: progress, reply, usage and how to continue."""

from __future__ import annotations

import getpass
import shlex
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graphwright.cli import failures
from graphwright.cli._model import offer_model
from graphwright.cli.console import Part, clean, note, result, result_json, results_alone, stdout, terminal
from graphwright.cli.failures import DONE, FAILED, WAITING
from graphwright.errors import GraphwrightError, UsageError
from graphwright.testing._loop import run
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    from graphwright.engine.events import ShadowCompared
    from graphwright.engine.state import WaitingFor
    from graphwright.host._definition import AgentDefinition
    from graphwright.host._session import Session
    from graphwright.host._turn import Event, Turn
    from graphwright.host.agent import Agent
    from graphwright.store import Store, ThreadRow

__all__ = ["ModelOption", "why_none_answers"]

T = TypeVar("T")

SILENCE = 1.0
"""Seconds that a command waits for a busy thread before it prints a note."""

AgentName = Annotated[
    str, typer.Argument(metavar="AGENT", help="The name of an agent, a flow document, or a folder with a flow.yaml.")
]
ThreadOption = Annotated[
    str | None,
    typer.Option(
        "--thread", metavar="T", help="Continue this thread, or begin it under this id; a new one by default."
    ),
]
ShadowOption = Annotated[
    str | None,
    typer.Option(
        "--shadow", metavar="FILE", help="An older flow or a checklist that answers; the agent's flow is compared."
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="M", help="embedded, embedded:FILE.gguf, PROVIDER:NAME, none, or scripted:FILE (for tests)."
    ),
]


def loaded(name: str, shadow: str | None = None, *, answers_itself: bool = False) -> Agent:
    """Load an agent with its Python, whose output goes to stderr. `shadow` is the file of a flow that answers.

    With `answers_itself` the `shadow` of its flow document is ignored.
    """
    from graphwright.host.agent import load, load_itself

    with results_alone():
        agent = load_itself(name) if answers_itself else load(name, shadow=shadow)
    for remark in agent.remarks:
        note(remark)
    return agent


def operator() -> str:
    """Return the name of the user who runs the command."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "local"


def with_store(work: Callable[[Store], Awaitable[T]], *, create: bool = False) -> T:
    """Return the result of `work` on the store of the data folder, which is only created with `create`."""
    from graphwright.store import open_store

    async def with_open_store() -> T:
        async with open_store(create=create) as store:
            return await work(store)

    return run(with_open_store())


async def thread_row(store: Store, thread: str) -> ThreadRow:
    """Return the row of a thread. Raises UsageError (`no_such_thread`)."""
    row = await store.threads.get(thread)
    if row is None:
        raise UsageError("no_such_thread", f"There is no thread {thread!r}.", "'graphwright threads' lists them.")
    return row


def agent_of(thread: str) -> str:
    """Return the address of a thread's agent. Raises UsageError (`no_such_thread`, `agent_not_found`)."""
    name = with_store(lambda store: thread_row(store, thread)).agent
    from graphwright.extras import packages_hint
    from graphwright.host.discovery import names

    if name not in names() and not Path(name).exists():
        if Path(name).name == name:
            hint = packages_hint() or "Install its package again."
            raise UsageError("agent_not_found", f"The agent {name!r} of thread {thread!r} is not installed.", hint)
        hint = "Put it back, or go on with it where it is: graphwright ask AGENT TEXT --thread THREAD"
        raise UsageError("agent_not_found", f"The agent of thread {thread!r} is no longer at {name}.", hint)
    return name


def chosen_model(spec: str | None) -> str | BaseChatModel | None:
    """Load the model of `--model`, so that a missing one is reported immediately; None if no model was named.

    `none` is returned as it is: loading any model imports LangChain, which takes longer than a turn without a model.
    """
    from graphwright.models import EmbeddedModelMissing, is_none, load

    if spec is None or is_none(spec):
        return spec

    try:
        return load(spec)
    except EmbeddedModelMissing:
        if spec != "embedded" or not offer_model():
            raise
        return load(spec)


def why_none_answers(spec: str | None) -> str:
    """Return why the model of a service (default: the configured one) cannot answer yet; empty if it can.

    Raises UnknownModel if the name is not that of a model: the running service could not recover from that.
    """
    from graphwright.models._failures import ModelUnavailable, UnknownModel
    from graphwright.models._loading import require

    try:
        require(spec)
    except UnknownModel:
        raise
    except ModelUnavailable as error:
        return f"No model answers yet: {error.full_text}"
    return ""


def model_text(spec: str | None) -> str:
    """Return the name of the model that answers, for people."""
    from graphwright.models import default_model

    name = spec or default_model()
    known = {"embedded": "embedded (Qwen2.5-Coder-1.5B, on this machine)", "none": "none (step by step)"}
    return known.get(name, name)


def introduce(session: Session, spec: str | None) -> None:
    """Print agent, model and thread to stderr."""
    note((f"{session.agent.title} · model {model_text(spec)} · thread {session.thread}", "dim"))


async def served(session: Session, spec: str | None, act: Callable[[], Awaitable[Turn]]) -> Turn:
    """Run a turn. If the embedded model is missing, offer its download and run the turn again."""
    from graphwright.models import default_model

    with results_alone():
        turn = await _told_when_waiting(session.thread, act)
        missing = turn.error is not None and turn.error.code == "embedded_model_missing"
        if missing and (spec or default_model()) == "embedded" and offer_model():
            turn = await act()
    return turn


async def _told_when_waiting(thread: str, act: Callable[[], Awaitable[Turn]]) -> Turn:
    """Run a turn, with a note if another command still holds its thread after `SILENCE` seconds."""
    import asyncio

    from graphwright.store import open_store

    async def notify() -> None:
        await asyncio.sleep(SILENCE)
        async with open_store(create=False) as store:
            waits = await store.held_elsewhere(thread)
        if waits:
            note(f"Another command is serving thread {thread}; waiting ...")

    telling = asyncio.create_task(notify())
    try:
        return await act()
    finally:
        telling.cancel()


async def streamed(events: AsyncIterator[Event], on_event: Callable[[Event], None]) -> Turn:
    """Pass the events of a turn to `on_event`; return the turn."""
    from graphwright.host._turn import TurnEnded

    turn: Turn | None = None
    async for event in events:
        on_event(event)
        if isinstance(event, TurnEnded):
            turn = event.turn
    assert turn is not None
    return turn


def event_line(event: Event) -> None:
    """Print one event as a line of JSON on stdout."""
    from graphwright.host.event_json import without_private

    result_json(without_private(event.to_json()), compact=True)


def turn_code(turn: Turn) -> int:
    return {"waiting": WAITING, "ended": DONE, "failed": FAILED}[turn.status]


def failed_turn(thread: str, agent: str, *, as_event: bool = False) -> Callable[[GraphwrightError], None]:
    """Return a function that prints an error before any turn: as the JSON of a failed turn, or as its last event."""

    def emit(error: GraphwrightError) -> None:
        from graphwright.host._turn import Turn, TurnEnded, TurnError

        why = TurnError(error.code, error.message, error.hint)
        begun = error.thread if isinstance(error, failures.Interrupted) else thread
        turn = Turn(begun, agent, "failed", "", None, (), {"answers": {}}, error=why)
        if as_event:
            event_line(TurnEnded(turn))
        else:
            result_json(turn.to_json())

    return emit


def show_turn(turn: Turn, agent: AgentDefinition, say: Callable[[str], None] = result) -> None:
    """Print the reply with `say`, and the options of a choice below it; the created files go to stderr.

    For a failed turn, print the text before the failure, and on stderr the error and the pending question.
    """
    failed = turn.error is not None
    # The prompt that a failed turn repeats at its end is printed below the error.
    prompt = turn.waiting_for.prompt if failed and turn.waiting_for is not None else ""
    reply = turn.reply.removesuffix(prompt).rstrip() if failed else turn.reply
    if reply:
        say(reply)
    if not failed:
        show_options(turn.waiting_for, agent)
    stdout().flush()
    for artifact in turn.artifacts:
        note((f"{artifact.kind} {artifact.name}: ", "dim"), artifact.path)
    if failed:
        show_error(turn)
        if turn.waiting_for is not None and turn.waiting_for.kind != "message":
            note(f"The question still waits: {turn.waiting_for.prompt}")


def show_error(turn: Turn) -> None:
    assert turn.error is not None
    if failures.debugging() and turn.exception is not None:
        note(("".join(traceback.format_exception(turn.exception)).rstrip(), "dim"))
    failures.paragraph(GraphwrightError(turn.error.code, turn.error.message, turn.error.hint))


MOST_SHOWN = 30
"""Maximum number of options that are listed."""


def show_options(waiting: WaitingFor | None, agent: AgentDefinition) -> None:
    """Print the titles of the options of a pending choice, with numbers if a number is a valid answer."""
    if waiting is None or waiting.kind not in ("choice", "question"):
        return
    from graphwright.engine._exact_replies import numbered
    from graphwright.flow import Question
    from graphwright.flow._json_schemas import Option

    node = agent.flow.nodes.get(waiting.node)
    if waiting.kind == "question" and not (isinstance(node, Question) and node.options):
        # The prompt of such a question describes the possible answers itself.
        return
    titles = [option["title"] for option in waiting.options]
    by_number = numbered(Option(option["value"], option["title"]) for option in waiting.options)
    for number, title in enumerate(titles[:MOST_SHOWN], 1):
        result(f"  {number}. {title}" if by_number else f"  - {title}")
    if len(titles) > MOST_SHOWN:
        result(f"  ... and {len(titles) - MOST_SHOWN:,} more, which will do as well; --json has them all.")


def cost(turn: Turn) -> str:
    """Return the usage of a turn, for people."""
    usage = turn.usage
    if not usage.model_calls:
        return f"no model call, {usage.seconds:.1f} s"
    calls = many(usage.model_calls, "model call")
    return f"{calls}, {usage.input_tokens} tokens in, {usage.output_tokens} out, {usage.seconds:.1f} s"


def show_way_on(turn: Turn, named: str, model: str | None) -> None:
    """Print to stderr the usage of the turn and how to continue.

    `named` and `model` are the agent and the model as the user gave them on the command line.
    """
    from graphwright.engine.host_interface import ActionContractError

    note((f"{cost(turn)} · path {' > '.join(turn.path) or '(none)'}", "dim"))
    agent, thread = shlex.quote(named), shlex.quote(turn.thread)
    with_model = "" if model is None else f" --model {shlex.quote(model)}"
    if turn.unread:
        note("An earlier message was interrupted and is answered now. This message was not read; send it again:")
        note(f"  {turn.unread[:200]}")
    if turn.status == "ended":
        note(f"The conversation has ended. Its trace: graphwright threads trace {thread}")
    elif isinstance(turn.exception, ActionContractError):
        note("No message continues this thread before that is corrected.")
    elif turn.waiting_for is not None:
        where = "" if turn.waiting_for.kind == "message" else f" at {turn.waiting_for.node}"
        note(f"Waiting for you{where}. Go on with: graphwright ask {agent} TEXT --thread {thread}{with_model}")
        if turn.waiting_for.kind == "confirm":
            note(f"Or: graphwright resume {thread} --approve (or --reject){with_model}")


def comparison_text(compared: ShadowCompared) -> str:
    """Return how a flow in the shadow compares with the one that answered: `different: asks for a; ...`."""
    from graphwright.engine._shadow import difference

    if compared.verdict == "same":
        return compared.verdict
    return f"{compared.verdict}: {difference(compared.answering, compared.shadow, compared.reason)}"


def show_comparison(compared: ShadowCompared | None) -> None:
    """Print to stderr how a flow in the shadow compares with the one that answered; nothing without one."""
    if compared is not None:
        note(("shadow: ", "dim" if compared.verdict == "same" else "yellow"), comparison_text(compared))


class Progress:
    """Shows the progress of a turn on a line of a terminal's stderr, until text is written on a terminal's stdout.

    Nodes are named by their labels. On stdout the end of the text that is being written is shown after `head`, as much
    as fits. It is only a draft: when the turn ends it is erased, and the caller prints the final reply. Nothing is
    shown without `drafts` on stdout, or without a terminal.
    """

    def __init__(self, agent: AgentDefinition, head: Part = "", *, drafts: bool = True) -> None:
        self._nodes = agent.flow.nodes
        self._head = (head, "") if isinstance(head, str) else head
        self._drafts = drafts and stdout().isatty()
        self._stack = ExitStack()
        self._status: Status | None = None
        self._writing = False
        self.compared: ShadowCompared | None = None
        """The comparison of the turn with a flow in the shadow."""
        self._writer = self._text = ""

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._status = self._stack.enter_context(terminal(sys.stderr).status("…"))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, event: Event) -> None:
        from graphwright.engine.events import ActionStarted, NodeEntered, Saying, ShadowCompared

        if isinstance(event, ShadowCompared):
            self.compared = event
        if isinstance(event, NodeEntered | ActionStarted) and self._status is not None:
            known = self._nodes.get(event.node)
            # As a Rich Text, which does not interpret brackets.
            self._status.update(_text(clean((known and known.label) or event.node)))
        elif isinstance(event, Saying) and self._drafts:
            before = "" if event.afresh or event.node != self._writer else self._text
            self._writer, self._text = event.node, before + event.text
            if not self._writing and self._text.strip():
                self._begin_draft()

    def _begin_draft(self) -> None:
        from rich.live import Live

        # Two live displays would overwrite each other.
        self._stack.close()
        self._status, self._writing = None, True
        console = terminal(stdout())
        # Output of an agent's Python goes to stderr: if that is the terminal, it is printed above the draft.
        above = sys.stderr.isatty()
        draft = Live(
            console=console,
            get_renderable=lambda: self._end_of_text(console),
            refresh_per_second=8,
            transient=True,
            redirect_stdout=above,
            redirect_stderr=above,
        )
        self._stack.enter_context(draft)

    def _end_of_text(self, console: Console) -> Text:
        """Return the last lines of the draft, as many as the terminal can show and erase again."""
        head, style = self._head
        lines = _text((clean(head), style), clean(self._text).lstrip()).wrap(console, console.width)
        return _text("\n").join(list(lines)[-max(console.height - 2, 1) :])


def _text(*parts: Part) -> Text:
    from rich.text import Text

    return Text.assemble(*parts)
