"""Every message of an error of the project is a sentence: it begins with a capital letter and ends with a full stop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import graphwright

SOURCES = Path(graphwright.__file__).parent.parent
PLACEHOLDER = "{}"
"""The part of a message that is not known before the program runs."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Signature:
    """The parameters of an error class, or of a function that returns or raises an error. `message` is one of them."""

    parameters: list[str]
    message: str

    def argument(self, call: ast.Call) -> ast.expr | None:
        """The message in a call."""
        place = self.parameters.index(self.message)
        if len(call.args) > place and not any(isinstance(each, ast.Starred) for each in call.args):
            return call.args[place]
        return next((each.value for each in call.keywords if each.arg == self.message), None)


@dataclass(frozen=True)
class Module:
    """A module of the project. `functions` maps each call to the innermost function around it."""

    file: Path
    classes: dict[str, ast.ClassDef]
    functions: dict[ast.Call, Function]
    results: set[ast.AST]
    """The expressions that are returned or raised."""


def modules() -> list[Module]:
    found = []
    for file in sorted(SOURCES.glob("graphwright*/**/*.py")):
        nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
        functions = [node for node in nodes if isinstance(node, Function)]
        results = {
            node.exc if isinstance(node, ast.Raise) else node.value
            for node in nodes
            if isinstance(node, ast.Return | ast.Raise)
        }
        found.append(
            Module(
                file,
                {node.name: node for node in nodes if isinstance(node, ast.ClassDef)},
                # An inner function is walked after an outer one, and replaces it.
                {node: function for function in functions for node in ast.walk(function) if isinstance(node, ast.Call)},
                {result for result in results if result is not None},
            )
        )
    return found


def name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def parameters_of(function: Function) -> list[str]:
    names = [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def error_classes(project: list[Module]) -> dict[str, Signature]:
    """The error classes of the project by name, without those that compose their message themselves."""
    found = {"GraphwrightError": Signature(["code", "message", "hint", "facts"], "message")}
    composed: set[str] = set()
    size = 0
    while size != len(found) + len(composed):
        size = len(found) + len(composed)
        for name, node in ((name, node) for module in project for name, node in module.classes.items()):
            base = next((name_of(base) for base in node.bases if name_of(base) in found), "")
            if not base or name in found or name in composed:
                continue
            init = next((each for each in node.body if isinstance(each, Function) and each.name == "__init__"), None)
            if init is None:
                found[name] = found[base]
            elif "message" in parameters_of(init):
                found[name] = Signature(parameters_of(init), "message")
            else:
                composed.add(name)
    return found


def messages(module: Module, signatures: dict[str, Signature]) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Each call that makes an error, with its message. A class that composes its message passes it to its base."""
    for call, function in module.functions.items():
        name = name_of(call.func)
        if (
            name == "__init__"
            and ast.unparse(call.func) == "super().__init__"
            and "message" not in parameters_of(function)
        ):
            bases = [name_of(base) for node in module.classes.values() if function in node.body for base in node.bases]
            name = next((base for base in bases if base in signatures), "")
        message = signatures[name].argument(call) if name in signatures else None
        if message is not None:
            yield call, message


def with_functions(project: list[Module], signatures: dict[str, Signature]) -> dict[str, Signature]:
    """Add the functions that return or raise an error with the message of a parameter, perhaps after a place."""
    found = dict(signatures)
    size = 0
    while size != len(found):
        size = len(found)
        for module in project:
            for call, message in messages(module, found):
                function = module.functions[call]
                parts = message.values if isinstance(message, ast.JoinedStr) else [message]
                last = parts[-1].value if isinstance(parts[-1], ast.FormattedValue) else parts[-1]
                passed_on = isinstance(last, ast.Name) and last.id in parameters_of(function)
                if passed_on and call in module.results and function.name != "__init__":
                    found.setdefault(function.name, Signature(parameters_of(function), name_of(last)))
    return found


def literals(expression: ast.expr, function: Function | None) -> Iterator[ast.expr]:
    """The literal texts that an expression can have as value, also through a variable of the function."""
    if isinstance(expression, ast.IfExp):
        yield from literals(expression.body, function)
        yield from literals(expression.orelse, function)
    elif isinstance(expression, ast.Name) and function is not None:
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and any(name_of(target) == expression.id for target in node.targets):
                yield from literals(node.value, None)
    elif isinstance(expression, ast.JoinedStr) or isinstance(getattr(expression, "value", None), str):
        yield expression


def pattern(text: ast.expr) -> str:
    """The text with its placeholders."""
    if isinstance(text, ast.JoinedStr):
        return "".join(pattern(part) for part in text.values)
    return str(text.value) if isinstance(text, ast.Constant) else PLACEHOLDER


def is_sentence(text: str) -> bool:
    """Whether a text is a sentence, or ends with one: after a place (`{file}: {message}`) or after another sentence."""
    first, before = text[:1], text.removesuffix(PLACEHOLDER)
    begins = first.isupper() or first.isdigit() or first in ("'", '"', "`", PLACEHOLDER[0])
    passes_on = before != text and (before.endswith(". ") or not any(letter.isalpha() for letter in before))
    return begins and (text.endswith((".", "?")) or passes_on)


def test_the_message_of_every_error_is_a_sentence() -> None:
    project = modules()
    signatures = with_functions(project, error_classes(project))
    wrong = {
        f"{module.file.relative_to(SOURCES)}:{text.lineno}: {pattern(text)}"
        for module in project
        for call, message in messages(module, signatures)
        for text in literals(message, module.functions[call])
        if not is_sentence(pattern(text))
    }
    assert sorted(wrong) == []
