"""Run the scripted conversations of an agent on a draft of its flow, in a separate process.

`python -m graphwright.testing.drafts` reads `{"agent": NAME, "document": TEXT, "only": [NAME]}` from standard input,
and prints one JSON object a line: `{"total": N}`, the `{"result": ...}` of each conversation as `graphwright test
--json` shows it, and the `{"coverage": ...}` of the agent's own flow.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.host.agent import Agent, load
from graphwright.host.discovery import find
from graphwright.testing._running import Result
from graphwright.testing._suite import Unusable, find_conversations, result_json, run_suite

__all__ = ["conversations_of", "main"]


def conversations_of(agent: str) -> dict[str, Path]:
    """Return the conversation files in an agent's folder, by their path below it. Empty if there are none.

    Raises UsageError (`unknown_agent`).
    """
    folder = find(agent).parent
    try:
        files = find_conversations([folder])
    except GraphwrightError as error:
        if error.code == "no_conversations":
            return {}
        raise
    return {file.relative_to(folder).as_posix(): file for file in files}


def main() -> None:
    """Run the conversations that standard input names."""
    given: Mapping[str, Any] = json.load(sys.stdin)
    own = find(given["agent"]).resolve()
    output, sys.stdout = sys.stdout, sys.stderr

    def emit(line: Mapping[str, Any]) -> None:
        # Whoever edits a flow over HTTP does not see where the folder is.
        output.write(json.dumps(line, ensure_ascii=False).replace(f"{own.parent}/", "") + "\n")
        output.flush()

    def load_agent(name: str | Path) -> Agent:
        return load(name, document=given["document"] if find(str(name)).resolve() == own else None)

    chosen = {name: file for name, file in conversations_of(given["agent"]).items() if _wanted(name, given)}
    names = {file: name for name, file in chosen.items()}
    emit({"total": len(chosen)})

    def on_result(result: Result | Unusable) -> None:
        emit({"result": {**result_json(result, trace=True), "file": names[result.path]}})

    suite = run_suite(chosen.values(), on_result=on_result, load_agent=load_agent)
    coverage = suite.coverage.get(own)
    emit({"coverage": coverage.to_json() if coverage else None})


def _wanted(name: str, given: Mapping[str, Any]) -> bool:
    return not given.get("only") or name in given["only"]


if __name__ == "__main__":
    main()
