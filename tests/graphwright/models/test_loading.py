"""Loading a model by its name: the result for each name, and the error if it is not available."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from cli_support import Site
from graphwright.models import (
    ModelUnavailable,
    acall_tools,
    astructured,
    atext,
    default_model,
    is_none,
    load,
    model_name,
    providers,
)
from graphwright.models import (
    _server as server,
)
from graphwright.models._failures import NoModel
from graphwright.models._pull import FILE


class Answer(BaseModel):
    value: int


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GRAPHWRIGHT_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "home"))


def refused(spec: str | None, **options: Path) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as failed:
        load(spec, **options)  # type: ignore[arg-type]
    assert failed.value.hint, "an error without a way on"
    return failed.value


def test_importing_the_package_imports_no_langchain_and_no_engine() -> None:
    code = (
        "import sys, graphwright.models, graphwright.models._pull, graphwright.store.home;"
        "print([m for m in sys.modules if m.startswith(('langchain', 'langgraph', 'xllamacpp', 'jsonschema'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_default_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_model() == "embedded"
    script = tmp_path / "rules.yaml"
    script.write_text("- {text: hello}\n")
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", f"scripted:{script}")
    model = load()
    assert model_name(model) == default_model() == f"scripted:{script}"
    assert model.invoke("hi").text == "hello"


def test_a_missing_embedded_model_names_the_download_and_the_two_other_ways(tmp_path: Path) -> None:
    failure = refused(None)
    assert failure.code == "embedded_model_missing"
    assert str(tmp_path / "home" / "models" / FILE) in failure.message
    for way in ("graphwright model pull", "embedded:/path", "API key", "OPENAI_BASE_URL"):
        assert way in failure.hint
    assert str(tmp_path / "elsewhere") in refused("embedded", home=tmp_path / "elsewhere").message


def test_an_own_model_file_and_a_platform_without_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own.gguf"
    assert refused(f"embedded:{own}").code == "embedded_model_missing"
    own.write_bytes(b"PK\x03\x04")
    assert "not a GGUF" in refused(f"embedded:{own}").message
    own.write_bytes(b"GGUF....")
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    failure = refused(f"embedded:{own}")
    assert failure.code == "missing_package"
    assert "graphwright[embedded]" in failure.hint


def test_the_providers_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "find_spec", lambda name: None)
    assert refused("ollama:qwen3").hint == "Install it: pip install 'graphwright[ollama]'"
    hint = refused("acme:small").hint
    assert "The installed providers are: none." in hint
    for extra in ("anthropic", "ollama", "openai"):
        assert f"'graphwright[{extra}]'" in hint


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        ("antropic:claude", "unknown_provider", "Did you mean anthropic?"),
        ("gpt-5", "bad_model_name", "PROVIDER:MODEL"),
        ("embeded", "bad_model_name", "Did you mean embedded?"),
        ("mistralai:large", "missing_package", "langchain-mistralai"),
        ("openai:gpt-5", "missing_key", "OPENAI_API_KEY"),
        ("scripted", "bad_model_name", "scripted:FILE"),
        ("scripted:/no/such/file.yaml", "bad_model_script", "/no/such/file.yaml"),
    ],
)
def test_an_invalid_model_name_is_an_error(spec: str, code: str, said: str) -> None:
    failure = refused(spec)
    assert failure.code == code
    assert said in f"{failure.message} {failure.hint}"


def test_a_server_of_the_users_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    model = load("openai:local", temperature=0.3)
    assert model_name(model) == "openai:local"
    assert model.temperature == 0.3  # type: ignore[attr-defined]
    assert model.max_retries == 0, "retries are made in one place only"  # type: ignore[attr-defined]


async def test_no_model_fails_in_every_way_of_calling() -> None:
    model = load("none")
    assert is_none(model)
    for call in (
        lambda: atext(model, [HumanMessage("hi")]),
        lambda: astructured(model, Answer, [HumanMessage("hi")]),
        lambda: acall_tools(model, [{"name": "search"}], [HumanMessage("hi")]),
    ):
        with pytest.raises(NoModel) as failed:
            await call()
        assert failed.value.code == "no_model"


ACME = """
from langchain_core.language_models import FakeListChatModel

def make(model, temperature):
    return FakeListChatModel(responses=[f"{model} at {temperature}"])

def nothing(model, temperature):
    return None

def fails(model, temperature):
    raise RuntimeError("no licence")
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    entries = "acme = acme:make\nnothing = acme:nothing\nfails = acme:fails\nopenai = acme:make\n"
    Site(tmp_path / "site").install("acme", f"[graphwright.models]\n{entries}", {"acme.py": ACME})
    yield
    sys.modules.pop("acme", None)


def test_a_package_adds_a_provider(acme: None) -> None:
    model = load("acme:small", temperature=0.5)
    assert (model_name(model), model.invoke("hi").text) == ("acme:small", "small at 0.5")
    assert "acme" in refused("nobody:small").hint
    assert refused("openai:gpt-5").code == "missing_key", "the provider of Graphwright wins"


def test_a_provider_that_fails_is_named(acme: None) -> None:
    assert "acme 1.0 cannot be set up: RuntimeError: no licence" in refused("fails:small").message
    assert "'nothing' of acme 1.0 made NoneType" in refused("nothing:small").message
