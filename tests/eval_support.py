"""Running an evaluation from its command line, with a scripted model and cases of the test's own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

Evaluate = Callable[..., tuple[int, str, str]]
"""Runs it with more arguments; gives the exit code, and what was written to stdout and stderr."""


def evaluation(
    name: str, folder: Path, model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Evaluate:
    """The evaluation on the cases in `folder`, where its results and its report (`report.md`) go, too.

    `model` are the rules of the scripted model.
    """
    (folder / "model.yaml").write_text(model, "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", f"scripted:{folder / 'model.yaml'}")
    from eval.__main__ import main

    def run(*args: str) -> tuple[int, str, str]:
        places = ["--cases", folder, "--results", folder / "results", "--report", folder / "report.md"]
        code = main([*map(str, places), name, *args])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def assert_refused(evaluate: Evaluate, file: Path, old: str, new: str, says: str) -> None:
    """With `new` where `old` stood in the file nothing is run, and people are told why."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    code, _, err = evaluate()
    assert code == 2
    assert says in err
    assert "Traceback" not in err
