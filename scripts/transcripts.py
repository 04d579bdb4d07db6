"""Writes the conversations in docs/start.md from the output of `graphwright demo AGENT`, or checks them.

    python scripts/transcripts.py            # plays them on the embedded model and rewrites docs/start.md
    python scripts/transcripts.py --check    # plays them, and fails if one does not end as the demo expects

A conversation is between `<!-- demo: AGENT -->` and `<!-- end -->`. Some lines of the trace of the first one follow
`<!-- trace -->`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from graphwright.models._pull import status

PAGE = Path(__file__).parent.parent / "docs" / "start.md"
BLOCK = re.compile(r"(?<=<!-- demo: )(\w+) -->\n```\n(.*?)```(?=\n<!-- end -->)", re.DOTALL)
TRACE = re.compile(r"(?<=<!-- trace -->\n```\n)(.*?)(?=```\n)", re.DOTALL)
SHOWN = re.compile(r"answer (intention|product|wattage) |guard of q.intention->\S+ opens|confirmed: |send_lead is done")
"""The lines of the trace that the page shows, with the first call of the model."""


def played(agent: str) -> tuple[str, str]:
    """Return the lines of the conversation with an agent, without costs, and some of its trace.

    Raises SystemExit if it ends unexpectedly.
    """
    with tempfile.TemporaryDirectory() as folder:
        # A separate data folder, with the user's model.
        home = Path(folder, "home")
        home.mkdir()
        (home / "models").symlink_to(status().path.parent)
        env = {**os.environ, "GRAPHWRIGHT_HOME": str(home), "GRAPHWRIGHT_MODEL": "embedded"}
        demo = [Path(sys.executable).with_name("graphwright"), "demo", agent]
        done = subprocess.run(demo, cwd=folder, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"The conversation with {agent} did not end as expected:\n{done.stdout}{done.stderr}")
        # The last line is the command that prints the trace, with the data folder if it is another one.
        kept = re.search(r"(?:GRAPHWRIGHT_HOME=(\S+) )?graphwright threads trace (\S+)\s*$", done.stdout)
        assert kept, done.stdout
        command, env["GRAPHWRIGHT_HOME"] = [demo[0], "threads", "trace", kept[2]], kept[1] or str(home)
        events = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)
    talk = done.stdout.split("\n\n", 1)[1].split("\n\ncost ")[0]
    calls = [line for line in events.stdout.splitlines() if " model embedded " in line][:1]
    shown = calls + [line for line in events.stdout.splitlines() if SHOWN.search(line)]
    return talk.split("\n", 1)[1].rstrip() + "\n", "\n".join(shown) + "\n"


def main() -> None:
    text = PAGE.read_text("utf-8")
    agents = [match[1] for match in BLOCK.finditer(text)]
    talks = {agent: played(agent) for agent in agents}
    if "--check" not in sys.argv[1:]:
        text = TRACE.sub(lambda _: talks[agents[0]][1], text)
        PAGE.write_text(BLOCK.sub(lambda m: f"{m[1]} -->\n```\n{talks[m[1]][0]}```", text), "utf-8")
    sys.stdout.write(f"{len(talks)} conversations ended as expected.\n")


if __name__ == "__main__":
    main()
