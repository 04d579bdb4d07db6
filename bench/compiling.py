"""The cost of compiling: in this process, and as a command that starts, checks and ends."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from bench.flows import pure, written
from bench.kernel import WALK
from bench.measure import Case, Result, children, steady
from bench.scale import Scale
from bench.serving import PROGRAM, environment
from graphwright.flow import ActionSignature, Catalogue, CompiledFlow, compile_text
from graphwright.flow.difference import difference
from graphwright.flow.layers import merge, read_layers
from graphwright.host.agent import catalogue_for, read_flow
from graphwright.host.discovery import find

COMPARED = 1_000
"""The largest flows, in nodes, of which two versions are compared."""


def cases(folders: dict[int, Path]) -> Iterator[Case]:
    """Compile a flow document with all checks. `load` would return the previous result."""
    for size, folder in folders.items():

        async def compiled(folder: Path = folder) -> None:
            file = folder / "flow.yaml"
            assert compile_text(read_flow(file), name=str(file), catalogue=catalogue_for(file)).flow is not None

        samples = max(1, min(5, 1_000 // size))
        yield Case(f"compile/{size}", f"compiling {size:,} nodes with all checks", steady(compiled), samples=samples)
        if size <= COMPARED:
            compared = partial(_compared, *_versions(folder))
            text = f"`graphwright diff` of two compiled flows of {size:,} nodes, a tenth of them changed"
            yield Case(f"compile/diff/{size}", text, steady(compared), samples=samples)

    async def assured() -> None:
        assert compile_text(promising, catalogue=ACTING, assure=True).flow is not None

    promising = assured_text(ASSURED)
    yield Case("compile/assured", f"deciding 3 assurances of {ASSURED:,} nodes", steady(assured), samples=1)
    for name in ("graph_editor", "upgrade", "data_scientist", "assistant", "intake"):
        file = find(name)

        async def shipped(file: Path = file) -> None:
            found = compile_text(read_flow(file), name=str(file), catalogue=catalogue_for(file), assure=True)
            assert found.flow is not None
            assert not found.unproven

        yield Case(f"compile/assured/{name}", f"compiling {name}, with its assurances", steady(shipped), samples=1)

    async def merged() -> None:
        layers = read_layers(texts["layer3.yaml"], name="layer3.yaml", read=lambda name: texts[name].encode())
        assert len(merge(layers).document["nodes"]) == LAYERED

    texts = layer_texts(LAYERED)
    yield Case("compile/layers", f"reading and merging 4 layers of {LAYERED:,} nodes", steady(merged), samples=3)


def _versions(folder: Path) -> tuple[CompiledFlow, CompiledFlow]:
    """A flow, and one in which the prompt, the schema or the guard of every tenth node is another."""
    text = read_flow(folder / "flow.yaml").decode()
    lines = text.splitlines()
    for number in range(0, len(lines), 10):
        for old, new in (("A word", "One word"), ("== 'stop'", "== 'enough'"), ("budget >= 1000", "budget >= 999")):
            lines[number] = lines[number].replace(old, new)
    before, after = (compile_text(each).flow for each in (text, "\n".join(lines)))
    assert before is not None
    assert after is not None
    return before, after


async def _compared(before: CompiledFlow, after: CompiledFlow) -> None:
    assert difference(before, after).changes.nodes


ASSURED = 500
"""The number of nodes of the flow whose assurances are decided."""

ACTING = Catalogue(actions={"act": ActionSignature("act", ("answers.k0",), ("done",), effects=False)})


def assured_text(size: int) -> str:
    """A flow in whose every fifth node something is confirmed and done, with assurances over all of them."""
    nodes, edges, last = [], [], size // 5 - 1
    for n in range(last + 1):
        after = f"q{n + 1}" if n < last else "end"
        nodes += [
            f"  - {{id: q{n}, type: question, key: k{n}, prompt: Which?, schema: {{enum: [a, b, c]}}}}",
            f"  - {{id: d{n}, type: decision}}",
            f"  - {{id: s{n}, type: question, key: s{n}, read: confirm, ask: always, prompt: Sure?}}",
            f"  - {{id: a{n}, type: action, run: act, confirm: {{by: s{n}, over: [answers.k0]}}}}",
            f"  - {{id: e{n}, type: decision}}",
        ]
        edges += [
            f"  - {{from: q{n}, to: d{n}}}",
            f"  - {{from: d{n}, to: s{n}, guard: answers.k{n} == 'a'}}",
            f"  - {{from: d{n}, to: e{n}, guard: else}}",
            f"  - {{from: s{n}, to: a{n}, guard: answers.s{n} == true}}",
            f"  - {{from: s{n}, to: e{n}, guard: answers.s{n} == false}}",
            f"  - {{from: s{n}, to: s{n}, guard: else}}",
            f"  - {{from: a{n}, to: e{n}}}",
            f"  - {{from: e{n}, to: {after}, guard: \"answers.k{n // 2} == 'b' || done > {n % 5}\"}}",
            f"  - {{from: e{n}, to: {after}, guard: else}}",
        ]
    claims = [
        f"{{always_before: a{last}, comes: q0}}",
        f"{{never: a{last}, unless: s{last}}}",
        "{always_before: end, comes: q3}",
    ]
    return "\n".join(
        [
            "version: v1",
            "id: flow.bench",
            "state: {done: {type: integer, default: 0, scope: conversation}}",
            "nodes:",
            *nodes,
            "  - {id: end, type: terminal}",
            "edges:",
            *edges,
            "assurances:",
            *(f"  - {claim}" for claim in claims),
        ]
    )


LAYERED = 1_000
"""The number of nodes in each of the four layers."""


def layer_texts(size: int) -> dict[str, str]:
    """Four layers by file: questions in a row, each changed by every layer in a text, a list and a condition."""
    texts = {}
    for layer in range(4):
        lines = [f"extends: layer{layer - 1}.yaml" if layer else "version: v1\nid: flow.bench", "nodes:"]
        for number in range(size):
            kind = "" if layer else f"type: question, key: k{number}, schema: {{type: integer, minimum: 0}}, "
            changed = f'prompt: "Question {number} of layer {layer}?", tags: [t{layer}], when: size(message) > {layer}'
            lines.append(f"  - {{id: q{number}, {kind}{changed}, label: L{layer}}}")
        lines += ["edges:"]
        lines += [
            f"  - {{id: e{number}, from: q{number}, to: q{number + 1}, label: L{layer}}}" for number in range(size - 1)
        ]
        texts[f"layer{layer}.yaml"] = "\n".join(lines) + "\n"
    return texts


READS = """
- call:
    UpdateAnswers: {answers: [{key: intention, value: buy, quote: need lights}]}
"""
"""The answers that the scripted model reads in the message of `ask`."""


def folders(work: Path, scale: Scale) -> dict[int, Path]:
    """An agent's folder for each size of flow."""
    return {size: written(work / f"compile{size}", pure(WALK, size)) for size in scale.nodes}


def commands(made: dict[int, Path], runs: int, notify: Callable[[str], None]) -> dict[str, Result]:
    """The command line as a user runs it: a process that starts, works and ends, alternating between commands."""
    results = {"command/help": Result("`graphwright --help`")}
    lines: dict[str, Sequence[str]] = {"command/help": [PROGRAM, "--help"]}
    for size, folder in made.items():
        results[f"command/check/{size}"] = Result(f"`graphwright check` of {size:,} nodes")
        lines[f"command/check/{size}"] = [PROGRAM, "check", str(folder / "flow.yaml")]
    home = next(iter(made.values())).parent
    (home / "reads.yaml").write_text(READS, "utf-8")
    for model in ("none", f"scripted:{home / 'reads.yaml'}"):
        kind = model.partition(":")[0]
        results[f"command/ask/{kind}"] = Result(f"`graphwright ask intake`, first message, model {kind}")
        lines[f"command/ask/{kind}"] = [PROGRAM, "ask", "intake", "I need lights", "--model", model]
    notify("commands")
    for number in range(runs + 1):
        for key, line in lines.items():
            with (results[key] if number else Result("")).timed(children):
                ran = subprocess.run(line, env=environment(home / "home"), capture_output=True, check=False)
            # A turn that waits for an answer has exit code 3.
            if ran.returncode not in (0, 3):
                raise RuntimeError(f"{' '.join(line)} failed: {ran.stderr.decode()}")
    return results
