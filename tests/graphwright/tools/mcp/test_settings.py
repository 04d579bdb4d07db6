"""`[mcp.NAME]` of `graphwright.toml`: its settings, its errors, and the checks of servers in `doctor`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from cli_support import Runner, findings
from graphwright._config_models import Server
from graphwright.config import ConfigError, current
from graphwright.tools.mcp import McpError, McpServer, configured
from mcp_support import SERVERS


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GRAPHWRIGHT_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str) -> Path:
    file = Path("graphwright.toml").absolute()
    file.write_text(text, "utf-8")
    return file


def test_servers_are_read_in_order_and_values_from_the_environment(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configured(current()) == ()
    write(
        """
[mcp.clock]
command = "bin/mcp-server-time"
args = ["--local-timezone", "UTC"]
env = {LEVEL = "3", TOKEN = "env:CLOCK_TOKEN"}
timeout = 5
tools = ["get_current_time"]

[mcp.wiki]
url = "https://wiki.example/mcp"
headers = {Authorization = "Bearer env:WIKI_TOKEN"}
"""
    )
    clock, wiki = configured(current())
    assert clock == McpServer(
        name="clock",
        # A path is relative to the folder of the file.
        command=str(here / "bin/mcp-server-time"),
        arguments=("--local-timezone", "UTC"),
        environment={"LEVEL": "3", "TOKEN": "env:CLOCK_TOKEN"},
        folder=here,
        timeout=5.0,
        tools=("get_current_time",),
    )
    assert (wiki.url, wiki.command, wiki.timeout) == ("https://wiki.example/mcp", "", 30.0)
    monkeypatch.setenv("WIKI_TOKEN", "abc")
    assert wiki.request_headers() == {"Authorization": "Bearer abc"}
    monkeypatch.delenv("WIKI_TOKEN")
    with pytest.raises(McpError, match="needs the variable WIKI_TOKEN, which is not set"):
        wiki.request_headers()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[mcp.a]", "needs one of the fields"),
        ('[mcp.a]\ncommand = "x"\nurl = "https://a.example"', "has a `command` or a `url`, not both"),
        ('[mcp.a]\nurl = "https://a.example"\nargs = ["x"]', "`args` is for a server with a `command`"),
        ('[mcp.a]\ncommand = "x"\nheaders = {A = "b"}', "`headers` is for a server with a `url`"),
        ('[mcp.a]\ncommand = "x"\ncomand = "y"', "has no field `comand`"),
        ('[mcp.a]\nurl = "ftp://a.example"', "must begin with http:// or https://"),
        ('[mcp.a]\ncommand = "x"\ntimeout = 0', "must be more than 0 and at most 600 seconds"),
        ('[mcp.a__b]\ncommand = "x"', "`a__b` cannot be the name of an MCP server"),
        ('[mcp.a]\ncommand = "x"\nenv = {"A=B" = "c"}', "cannot be the name of a variable"),
        ('[mcp.a]\nurl = "http://a"\nheaders = {"A: B" = "c"}', "cannot be the name of a header"),
    ],
)
def test_mistakes_are_refused_where_they_are(text: str, says: str) -> None:
    write(f'model = "a:b"\n{text}')
    with pytest.raises(ConfigError) as raised:
        current()
    assert says in raised.value.message
    assert "graphwright.toml:" in raised.value.message


@pytest.mark.parametrize(
    "text",
    [
        'command = "x"\nenv = {API_KEY = "geheim123"}',
        'command = "x"\nargs = ["--password=geheim123"]',
        'url = "https://ann:geheim123@a.example/mcp"',
        'url = "https://a.example/mcp?api_key=geheim123"',
        'url = "https://a.example/mcp"\nheaders = {X-Api-Key = "geheim123"}',
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_shown(text: str) -> None:
    write(f"[mcp.a]\n{text}")
    with pytest.raises(ConfigError, match="holds a secret") as raised:
        current()
    told = f"{raised.value.message} {raised.value.hint}"
    assert "geheim123" not in told
    assert "[hidden]" not in told
    # The hint says what to write instead.
    assert "env:" in told


def test_a_file_that_others_may_write_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    file = write('[mcp.a]\ncommand = "x"')
    file.chmod(0o666)
    with pytest.raises(ConfigError, match="is writable by everyone") as raised:
        configured(current())
    assert raised.value.code == "unsafe_config"
    # A file that is named explicitly is trusted.
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(file))
    assert len(configured(current())) == 1
    monkeypatch.delenv("GRAPHWRIGHT_CONFIG")
    file.write_text('model = "a:b"', "utf-8")
    assert configured(current()) == ()


@pytest.mark.slow
def test_doctor_says_how_each_server_is(run: Runner) -> None:
    def server(name: str, mode: str = "") -> str:
        arguments = [str(SERVERS / "raw.py"), mode]
        return f"[mcp.{name}]\ncommand = {json.dumps(sys.executable)}\nargs = {json.dumps(arguments)}\n"

    write(f"{server('good')}tools = ['echo', 'teleport']\n{server('dead', 'dead')}{server('silent', 'silent')}")
    assert findings(run, "mcp servers") == [
        ("ok", "good: 1 tool (protocol 2025-06-18)"),
        ("warning", "good does not offer teleport, which `tools` names."),
        ("warning", "dead ended with exit code 3: cannot find the database password=[hidden]."),
        ("warning", "silent has not started within 5 s."),
    ]


def test_the_examples_of_the_page_hold(capsys: pytest.CaptureFixture[str]) -> None:
    page = (SERVERS.parents[2] / "docs" / "mcp.md").read_text("utf-8")
    shown = dict(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    write(shown["toml"])
    assert [server.name for server in configured(current())] == ["clock", "wiki"]
    exec(compile(shown["python"], "docs/mcp.md", "exec"), {"__name__": "example"})  # noqa: S102
    assert capsys.readouterr().out == shown["text"]


def test_the_page_lists_every_key_and_every_code() -> None:
    page = (SERVERS.parents[2] / "docs" / "mcp.md").read_text("utf-8")
    assert set(Server.model_fields) == set(re.findall(r"^\| `([a-z]+)` \|", page, re.MULTILINE))
    said = set(re.findall(r"`(mcp_[a-z_]+)`", McpError.__doc__ or ""))
    assert said == set(re.findall(r"^\| `(mcp_[a-z_]+)` \|", page, re.MULTILINE))
