"""Additions of the data scientist to Graphwright: a doctor check, the notebook of a thread, and its demo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from graphwright.errors import UsageError
from graphwright.hooks import Demo, Export, Finding, StoredThread
from graphwright.text.sentences import many

demo = Demo(Path(__file__).with_name("demo.json"), place=4)


def generated_code() -> Iterator[Finding]:
    """Check the isolation of programs that a model writes, and whether figures can be saved as PNG."""
    from graphwright.cli.doctor import texts
    from graphwright_confined import LibrariesMissing, Sandbox, SandboxUnavailable
    from graphwright_data.data_scientist.figures import why_no_png

    try:
        with Sandbox() as sandbox:
            isolation = sandbox.self_test()
    except (LibrariesMissing, SandboxUnavailable) as error:
        if isinstance(error, SandboxUnavailable) and error.layer == "self-test":
            raise
        # Only the features that run generated code refuse to run.
        yield "warning", *texts(error)
        return
    yield "ok", f"{isolation}: code tried to escape, and could not", ""
    if why := why_no_png():
        yield "ok", f"Plotly figures are saved as pages, not as PNG: {why}.", ""


def _write_notebook(file: Path, thread: StoredThread) -> str:
    from graphwright_data.data_scientist.scripts import answers_in, write_notebook

    answers = list(answers_in(thread.events))
    if not answers:
        raise UsageError(
            "no_answers",
            f"There is no answer of the data scientist in thread {thread.id}.",
            "'graphwright threads' lists all threads, with their agents.",
        )
    whole = [replace(each, datasets=thread.whole(each.datasets)) for each in answers]
    count = write_notebook(file, thread.title, whole, thread.folder / "data")
    return f"{many(count, 'answer')} with code, in a notebook:"


notebook = Export("ipynb", "As a Jupyter notebook, with its data in a folder next to it.", _write_notebook)
