"""The public conformance cases of CEL, run through our compiler; the counts are those on the page about guards."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphwright.flow.guards import Language, Vocabulary

CASES: list[tuple[str, str, dict[str, Any]]] = json.loads(
    (Path(__file__).parents[3] / "data" / "cel_spec" / "conformance.json").read_text("utf-8")
)
PAGE = (Path(__file__).parents[4] / "docs" / "guards.md").read_text("utf-8")

MESSAGES = "Protocol Buffers"
EXTENSIONS = "extensions"
NAMESPACES = "namespaces"
FUNCTIONS = "host functions"
REASONS = (MESSAGES, EXTENSIONS, NAMESPACES, FUNCTIONS)

EXTRA_SUITES = {"optionals", "macros2"}
"""Suites of extensions without an obvious name: optional values, macros of two variables."""

CHECKED = "static checks"
ENGINE = "the CEL library"
KNOWN = {("fields", "map_value_repeat_key_heterogeneous"): ENGINE}
"""Deviations that are not due to the static check of expressions."""


def outside(suite: str, case: Mapping[str, Any]) -> str:
    """Why a case is about a feature that the language does not have, or an empty text."""
    if suite.endswith("_ext") or suite in EXTRA_SUITES or re.search(r"\boptional\.", case["expr"]):
        return EXTENSIONS
    told = json.dumps([case.get("bindings"), case.get("value"), case.get("typeEnv")])
    if re.search(r"objectValue|enumValue|messageType", told) or re.search(
        r"TestAllTypes|GlobalEnum|google\s*\.\s*protobuf|\bproto[23]\b|Value\{",
        case["expr"] + case.get("container", ""),
    ):
        return MESSAGES
    names = [*case.get("bindings", {}), *(entry["name"] for entry in case.get("typeEnv", ()))]
    if case.get("container") or any("." in name for name in names):
        return NAMESPACES
    return FUNCTIONS if any("function" in entry for entry in case.get("typeEnv", ())) else ""


def value_of(told: Mapping[str, Any]) -> Any:
    ((kind, value),) = told.items()
    match kind:
        case "int64Value" | "uint64Value":
            return int(value)
        case "doubleValue":
            return float(value)
        case "bytesValue":
            return base64.b64decode(value)
        case "listValue":
            return [value_of(part) for part in value.get("values", ())]
        case "mapValue":
            return {value_of(entry["key"]): value_of(entry["value"]) for entry in value.get("entries", ())}
        case "typeValue":
            return Type(value)
    return value


TYPES = {
    "null_type": "NULL",
    "list": "LIST<DYN>",
    "map": "MAP<DYN, DYN>",
    "google.protobuf.Timestamp": "TIMESTAMP",
    "google.protobuf.Duration": "DURATION",
}


class Type(str):
    """The name of a type."""

    def is_type(self, value: Any) -> bool:
        return str(value) == TYPES.get(self, self.upper())


SCHEMAS = {"STRING": "string", "INT64": "integer", "DOUBLE": "number", "BOOL": "boolean"}


def schema_of(type_: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a channel for values of a type; an empty one if JSON has no such type."""
    if "primitive" in type_:
        name = SCHEMAS.get(type_["primitive"])
        return {"type": name} if name else {}
    if "listType" in type_:
        return {"type": "array", "items": schema_of(type_["listType"]["elemType"])}
    return {"type": "object"} if type_.get("mapType", {}).get("keyType") == {"primitive": "STRING"} else {}


def same(got: Any, wanted: Any) -> bool:
    got = got.value() if hasattr(got, "value") else got
    if isinstance(wanted, Type):
        return wanted.is_type(got)
    if isinstance(wanted, bool) or wanted is None:
        return got is wanted
    if isinstance(wanted, float):
        return isinstance(got, float) and (got == wanted or (got != got and wanted != wanted))
    if isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(wanted, dict):
        plain = {key.value() if hasattr(key, "value") else key: value for key, value in got.items()}
        return plain.keys() == wanted.keys() and all(same(plain[key], wanted[key]) for key in wanted)
    return type(got) is not bool and bool(got == wanted)


NO_NAMES = Language({"": Vocabulary({})})
"""For all cases without values: creating a language takes longer than running a case."""


def run(case: Mapping[str, Any]) -> str:
    """The outcome of a case: `passed`, `refused` (an expected error was found by the compiler), or the difference."""
    bindings = {name: value_of(bound["value"]) for name, bound in case.get("bindings", {}).items()}
    types = {entry["name"]: schema_of(entry["ident"]["type"]) for entry in case.get("typeEnv", ())}
    channels = {name: types.get(name, {}) for name in {*bindings, *types}}
    language = Language({"": Vocabulary({})}, channels=channels) if channels else NO_NAMES
    compiled = language.template(f"{{{{ {case['expr']} }}}}")
    fails = "evalError" in case
    if isinstance(compiled, list):
        return "refused" if fails else f"does not compile: {compiled[0].message}"
    if case.get("checkOnly"):
        # It expects a type, and the compiler does not report types.
        return "passed"
    (expression,) = compiled.expressions
    verdict = expression.evaluate(bindings)
    if fails or verdict.error:
        return "passed" if fails and verdict.error else f"{verdict.value!r} {verdict.error}"
    told = case["typedResult"]["result"] if "typedResult" in case else case.get("value", {"boolValue": True})
    return "passed" if same(verdict.value, value_of(told)) else f"{verdict.value!r}, not {value_of(told)!r}"


def outcome(suite: str, case: Mapping[str, Any]) -> str:
    """`passed`, `refused`, why it is outside the language, or why it deviates; else the difference."""
    found = outside(suite, case) or run(case)
    if found in ("passed", "refused", *REASONS):
        return found
    if case.get("disableCheck") and found.startswith("does not compile"):
        return CHECKED
    return KNOWN.get((suite, case["name"]), f"{suite}: {case['name']}: {case['expr']}: {found}")


def test_the_conformance_cases_give_the_numbers_of_the_page():
    total = Counter(outcome(suite, case) for suite, _, case in CASES)
    assert set(total) == {"passed", "refused", CHECKED, ENGINE, *REASONS}, "some case comes to something else"
    assert rows("excluded") == {reason: total[reason] for reason in REASONS}
    assert rows("deviating") == {reason: total[reason] for reason in (CHECKED, ENGINE)}
    passed, deviating = total["passed"] + total["refused"], total[CHECKED] + total[ENGINE]
    prose = " ".join(PAGE.split())
    assert f"{total.total():,} cases) run" in prose
    assert f"Of the {passed + deviating:,} cases within the language, {passed:,} pass" in prose
    assert f"in {total['refused']} cases the compiler finds it" in prose


def rows(heading: str) -> dict[str, int]:
    """The first column of a table of the page, with the number after it."""
    table = PAGE.split(f"\n| {heading} |")[1].split("\n\n")[0].rstrip().split("\n")[2:]
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table]
    return {name: int(number) for name, number, *_ in cells}
