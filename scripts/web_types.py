"""Generate the TypeScript types of the service's API, web/src/api/schema.d.ts, from its OpenAPI document.

With `--check` nothing is written: it fails if the file is not what the document gives. The generator is an npm package,
which is installed when it is first needed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graphwright_server._app import create_app
from graphwright_server._settings import ServiceSettings

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "web" / "src" / "api" / "schema.d.ts"
GENERATOR = ROOT / "web" / "generator"
_STAMP = GENERATOR / "node_modules" / ".locked"


def document() -> dict[str, Any]:
    """Return the OpenAPI document of a service with the installed packages, without examples and kinds of errors.

    The web app treats all errors alike.
    """
    with TemporaryDirectory() as home:
        found = create_app(ServiceSettings(home=Path(home))).openapi()
    del found["components"]["responses"]
    for operation in (each for methods in found["paths"].values() for each in methods.values()):
        operation["responses"] = {status: each for status, each in operation["responses"].items() if "$ref" not in each}
        for body in (operation.get("requestBody", {}), *operation["responses"].values()):
            for content in body.get("content", {}).values():
                content.pop("example", None)
    return found


def generated() -> str:
    """Return the types of the document. Raises CalledProcessError if Node or the generator fails."""
    # scripts/build_web installs Node in the folder of Python.
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    lock = (GENERATOR / "package-lock.json").read_bytes()
    if not _STAMP.is_file() or _STAMP.read_bytes() != lock:
        subprocess.run(("npm", "ci", "--silent"), cwd=GENERATOR, env=environment, check=True)
        _STAMP.write_bytes(lock)
    made = subprocess.run(
        ("node", "generate.mjs"),
        cwd=GENERATOR,
        env=environment,
        input=json.dumps(document()),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return made.stdout


def main(arguments: list[str]) -> int:
    """Write the file, or compare it with `--check`. Returns the exit code."""
    found = generated()
    place = FILE.relative_to(ROOT)
    if arguments == ["--check"]:
        if FILE.is_file() and FILE.read_text("utf-8") == found:
            return 0
        print(f"{place} is not what the OpenAPI document of the service gives. Run `make web-types`.", file=sys.stderr)
        return 1
    FILE.write_text(found, "utf-8")
    print(place)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
