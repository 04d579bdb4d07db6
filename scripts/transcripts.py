"""Writes the conversations in docs/start.md from the output of `graphwright demo AGENT`, or checks them.

    python scripts/transcripts.py            # plays them on the embedded model and rewrites docs/start.md
    python scripts/transcripts.py --check    # plays them, and fails if one does not end as the demo expects

A conversation is between `<!-- demo: AGENT -->` and `<!-- end -->`.
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


def played(agent: str) -> str:
    """Return the lines of the conversation with an agent, without costs. Raises SystemExit if it ends unexpectedly."""
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
    talk = done.stdout.split("\n\n", 1)[1].split("\n\ncost ")[0]
    return talk.split("\n", 1)[1].rstrip() + "\n"


def main() -> None:
    text = PAGE.read_text("utf-8")
    agents = [match[1] for match in BLOCK.finditer(text)]
    talks = {agent: played(agent) for agent in agents}
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(BLOCK.sub(lambda m: f"{m[1]} -->\n```\n{talks[m[1]]}```", text), "utf-8")
    sys.stdout.write(f"{len(talks)} conversations ended as expected.\n")


if __name__ == "__main__":
    main()
