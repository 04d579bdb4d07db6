"""`graphwright.toml`: which file is used, what overrides it, its effects, and its errors."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cli_support import FLOW, Runner
from graphwright import load
from graphwright._config_models import HttpHost, ModelsTable, Oidc, Price, ServiceTable
from graphwright.config import Config, ConfigError, chosen_graph, chosen_home, config_file, current
from graphwright.flow._document import PathPolicy
from graphwright.models import default_model
from graphwright.models.usage import call_cost, currency
from graphwright.store.home import data_home

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: deep enough for files above it."""
    for name in ("GRAPHWRIGHT_CONFIG", "GRAPHWRIGHT_MODEL", "GRAPHWRIGHT_HOME", "GRAPHWRIGHT_GRAPH"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, text: str) -> Path:
    file = folder / "graphwright.toml"
    file.write_text(text, "utf-8")
    return file


def test_without_a_file_nothing_is_said() -> None:
    assert current() == Config()
    assert default_model() == "embedded"
    assert chosen_home() is None
    assert chosen_graph() == ""


def test_the_nearest_file_upwards_holds(here: Path) -> None:
    write(here.parent.parent, 'model = "a:far"')
    assert default_model() == "a:far"
    near = write(here.parent, 'home = "data"')
    assert config_file() == near
    # One file is used, not a mixture of several.
    assert default_model() == "embedded"
    for model in ("a:here", "another:one"):
        write(here, f'model = "{model}"')
        assert default_model() == model


def test_a_named_file_takes_precedence(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, 'model = "a:here"')
    (tmp_path / "own.toml").write_text('model = "a:own"', "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", "../../own.toml")
    assert default_model() == "a:own"
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", "nowhere.toml")
    with pytest.raises(ConfigError, match=r"GRAPHWRIGHT_CONFIG names .*nowhere\.toml"):
        current()
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", os.devnull)
    assert default_model() == "embedded"


def test_the_environment_comes_before_the_file(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, 'model = "a:file"\nhome = "/from/file"\ngraph = "neo4j://ann@file.example:7687"')
    assert chosen_graph() == "neo4j://ann@file.example:7687"
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", "a:environment")
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("GRAPHWRIGHT_GRAPH", "bolt://ann:pass@variable.example")
    write(here, "not toml")
    assert default_model() == "a:environment"
    assert data_home() == tmp_path
    assert chosen_graph() == "bolt://ann:pass@variable.example"


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("graph", "neo4j://ann:geheim@h"),
        ("graph", "neo4j://ann:ge@heim/x@h"),
        ("graph", ":geheim@h"),
        ("interactions", "postgresql://ann:geheim@db/log"),
        ("interactions", "postgresql://db/log?user=ann&password=geheim"),
    ],
)
def test_a_password_in_the_file_is_refused_and_not_shown(here: Path, key: str, address: str) -> None:
    write(here, f'home = "data"\n{key} = "{address}"')
    with pytest.raises(ConfigError, match=rf"toml: `{key}`: `{key}` holds a password") as raised:
        current()
    assert "environment" in raised.value.hint
    assert "heim" not in f"{raised.value.message}{raised.value.hint}"


def test_a_home_is_relative_to_its_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here.parent, 'home = "data"')
    assert data_home() == here.parent / "data"
    write(here.parent, 'home = "~/data"')
    monkeypatch.setenv("HOME", "/home/ann")
    assert data_home() == Path("/home/ann/data")


def test_a_path_policy_overrides_the_document(here: Path) -> None:
    flow = FLOW.replace("nodes:", "path_policy: {decay: 0.75, lock_threshold: 4}\nnodes:", 1)
    (here / "flow.yaml").write_text(flow, "utf-8")
    write(here, '[flows."flow.large".path_policy]\nlock_threshold = 3')
    before = load(here).flow
    write(here, '[flows."flow.small".path_policy]\nlock_threshold = 3\nallow_switch_before_lock = false')
    after = load(here).flow
    assert (before.path_policy.lock_threshold, after.path_policy.lock_threshold) == (4, 3)
    # The other fields stay as in the document, and it is still the same flow.
    assert (after.path_policy.decay, after.path_policy.allow_switch_before_lock) == (0.75, False)
    assert after.hash == before.hash


def test_settings_reach_the_agent_of_their_name(here: Path) -> None:
    folder = here / "desk"
    folder.mkdir()
    (folder / "flow.yaml").write_text(FLOW, "utf-8")
    assert load(folder).settings == {}
    write(here, '[agents.desk]\nqueue = "it"\nlimits = {tickets = 3, since = 2026-01-31}\n[agents.other]\nqueue = "hr"')
    assert load(folder).settings == {"queue": "it", "limits": {"tickets": 3, "since": "2026-01-31"}}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('modle = "x"', "toml: `modle`: .*no field `modle`. Did you mean `model`?"),
        ('[models.prices."a:b"]\ninput = -1', "toml: .*`input` must not be below 0"),
        ('models.currency = "euro"', "toml: .*`currency` must be a code of three capital letters"),
        ("model = 3", "toml: `model`: `model` must be a text, not the number 3. Put it in quotes."),
        ("model = embedded", "not valid TOML: .*line 1.*needs quotes"),
        (
            '# flows\n[flows."f".path_policy]\n\nlock_treshold = 1',
            "toml: `flows.f.path_policy.lock_treshold`: .*Did you mean `lock_threshold`?",
        ),
        (
            "[flows.f.path_policy]\nlock_threshold = 0",
            "toml: `flows.f.path_policy.lock_threshold`: `lock_threshold` must be a number above 0, not 0",
        ),
        ("[flows.f.path_policy]\ndecay = 1.5", "`decay` must be a number from 0 to 1, not 1.5"),
        ('[flows.f.path_policy]\ndecay = "0.5"', "`decay` must be a number from 0 to 1.*Write it without quotes"),
        ("[flows.f.path_policy]\nallow_switch_before_lock = 1", "`allow_switch_before_lock` must be true or false"),
        ("flows.f = 3", "toml: `flows.f`: .*must be a mapping"),
        ("[path_policy]\ndecay = 1", r'`path_policy` is a field of `\[flows."ID".path_policy\]`'),
        ("[agents]\ndesk = 3", "toml: `agents.desk`: `desk` must be a mapping, not the number 3"),
        ("a = 1\nb = 2", "Also wrong: 1 more setting"),
    ],
)
def test_errors_name_their_place(here: Path, text: str, says: str) -> None:
    file = write(here, text)
    with pytest.raises(ConfigError) as raised:
        current()
    told = f"{raised.value.message} {raised.value.hint}"
    assert raised.value.code == "bad_config"
    assert told.startswith(f"{file}:")
    assert re.search(says, told), told


@pytest.mark.parametrize("text", ["[flows." + ".".join("a" * 3000) + "]\nx = 1", "x = " + "[" * 99_999])
def test_deep_nesting_is_an_error(here: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"{write(here, text)}:")):
        current()


def test_a_binary_file_is_an_error(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "graphwright.toml").write_bytes(b"# ok\nmodel = '\xff'")
    with pytest.raises(ConfigError, match=r"graphwright\.toml:2: this is not UTF-8"):
        current()
    (here / "graphwright.toml").write_bytes(b"#" * 2**21)
    with pytest.raises(ConfigError, match="larger than 1 MiB"):
        current()
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(here))
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        current()


def test_the_command_line_reports_errors_in_one_paragraph(here: Path, run: Runner) -> None:
    (here / "flow.yaml").write_text(FLOW, "utf-8")
    write(here, "model = 3")
    done = run("ask", here, "Ann", "--json")
    assert (done.code, done.json["error"]["code"], done.err.count("\n")) == (1, "bad_config", 1)


# prices of models


def test_a_call_costs_what_the_operator_says_and_nothing_is_said_of_a_model_without_a_price(here: Path) -> None:
    write(here, '[models]\ncurrency = "EUR"\n[models.prices."a:b"]\ninput = 2.5\noutput = 10')
    call = {"model": "a:b", "input_tokens": 2_000, "output_tokens": 100}
    assert (call_cost(call), currency()) == (0.006, "EUR")
    assert call_cost({**call, "model": "a:c"}) is None


# the documentation page


PAGE = (ROOT / "docs/configuration.md").read_text("utf-8")


def test_the_page_lists_every_key_and_every_variable_that_the_program_knows() -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / "packages").rglob("*.py"))
    service = {*ServiceTable.model_fields, *Oidc.model_fields} - {"oidc"}
    models = {*ModelsTable.model_fields, *Price.model_fields} - {"prices"}
    keys = {
        "model",
        "home",
        "graph",
        "interactions",
        *service,
        *models,
        *HttpHost.model_fields,
    }
    cells = re.findall(r"^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|", PAGE, re.MULTILINE)
    assert {key for cell in cells for key in re.findall("[a-z_]+", cell)} == keys
    assert set(re.findall(r"^\| `(GRAPHWRIGHT_\w+)` \|", PAGE, re.M)) == set(re.findall(r"GRAPHWRIGHT_[A-Z]\w+", code))


def test_the_example_of_the_page_is_a_configuration(here: Path) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    write(here, example)
    config = current()
    assert all((config.model, config.home, config.graph, config.agents))
    assert set(next(iter(config.path_policies.values()))) == set(PathPolicy.model_fields)


def test_agents_are_not_listed_from_a_broken_file(here: Path, run: Runner) -> None:
    (here / "flow.yaml").write_text(FLOW, "utf-8")
    write(here, 'modle = "none"')
    for args in (["agents"], ["agents", here], ["agents", "--json"]):
        done = run(*args)
        assert (done.code, "Did you mean `model`?" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("header", "value", "instead"),
    [
        ("Authorization", "Bearer abcdef0123456789abcdef", "Bearer env:VARIABLE"),
        ("Authorization", "abcdef0123456789abcdef", "env:VARIABLE"),
        ("X-API-Key", "abcdef0123456789abcdef", "env:VARIABLE"),
    ],
)
def test_the_hint_for_a_secret_header_keeps_its_scheme(here: Path, header: str, value: str, instead: str) -> None:
    write(here, f'[http."api.example.org"]\nheaders = {{{header} = "{value}"}}')
    with pytest.raises(ConfigError, match="holds a secret") as raised:
        current()
    assert f'write "{instead}" as' in raised.value.hint
