"""A turn while it lasts, at a terminal: where it is, and the text that is being written. Both vanish at its end."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from graphwright.cli.console import Part, clean, stdout, terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.status import Status
    from rich.text import Text

    from graphwright.runtime.definition import AgentDefinition
    from graphwright.runtime.events import Event


class Progress:
    """Where the turn is, on a line of a terminal's stderr, until something is written on a terminal's stdout.

    Nodes are named by their labels. On stdout the end of it is shown after `head`, as much as there is room for. It is
    only a draft: when the turn ends it vanishes, and the reply that counts can be shown. Without `drafts`, and where
    there is no terminal, it is silent.
    """

    def __init__(self, agent: AgentDefinition, head: Part = "", *, drafts: bool = True) -> None:
        self._nodes = agent.flow.nodes
        self._head = (head, "") if isinstance(head, str) else head
        self._drafts = drafts and stdout().isatty()
        self._stack = ExitStack()
        self._status: Status | None = None
        self._draft: Live | None = None
        self._writer = self._text = ""

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._status = self._stack.enter_context(terminal(sys.stderr).status("…"))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, event: Event) -> None:
        data = event.to_json()
        match data["type"]:
            case "node_entered" | "action_started":
                node = self._nodes.get(str(data["node"]))
                self._at((node and node.label) or str(data["node"]))
            case "saying" if self._drafts:
                self._write(str(data["node"]), str(data["text"]), bool(data["afresh"]))

    def _at(self, place: str) -> None:
        if self._status is None:
            return
        from rich.text import Text

        self._status.update(Text(clean(place)))

    def _write(self, writer: str, piece: str, afresh: bool) -> None:
        before = "" if afresh or writer != self._writer else self._text
        self._writer, self._text = writer, before + piece
        if self._draft is None and self._text.strip():
            # Two regions that redraw themselves would write over each other.
            self._stack.close()
            self._status = None
            self._begin_draft()

    def _begin_draft(self) -> None:
        from rich.live import Live

        console = terminal(stdout())
        # What an agent's Python prints goes to stderr: where that is the terminal, above the draft.
        above = sys.stderr.isatty()
        self._draft = Live(
            console=console,
            get_renderable=lambda: self._end_of_text(console),
            refresh_per_second=8,
            transient=True,
            redirect_stdout=above,
            redirect_stderr=above,
        )
        self._stack.callback(self._draft.stop)
        self._draft.start(refresh=True)

    def _end_of_text(self, console: Console) -> Text:
        """As many lines of the draft as the terminal can hold and take back again."""
        from rich.text import Text

        head, style = self._head
        lines = Text.assemble((clean(head), style), clean(self._text).lstrip()).wrap(console, console.width)
        return Text("\n").join(list(lines)[-max(console.height - 2, 1) :])
