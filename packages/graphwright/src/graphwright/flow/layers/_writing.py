"""A merged document as YAML that reads as the same data, with its fields in a fixed order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from graphwright.flow._source import FLAGS_1_1, is_other_number, read_text
from graphwright.flow.layers._strategies import LISTS, MAPPINGS, RECORDS

MARK = "# Merged by 'graphwright merge' from "
"""The beginning of the first line of a document that `graphwright merge` has written."""

_FIRST = (
    *("version", "id", "title", "label", "description", "type", "key", "run", "ref", "as", "from", "to", "guard"),
    *("by", "over", "when", "prompt", "say", "schema", "entry", "restart", "max_actions", "state", "nodes", "edges"),
)
_LAST = ("subgraphs", "tags", "ui")
_RANKS = {name: place for place, name in enumerate(_FIRST)} | {name: 1_000 + n for n, name in enumerate(_LAST)}
_WIDTH = 110
_LIKE_A_NUMBER = re.compile(r"[-+.]?[0-9.]")


def document_text(document: Mapping[str, Any], files: Sequence[str]) -> str:
    """The document as YAML; its first line names the layers that it was merged from."""
    ordered = _ordered("document", document)
    head = f"{MARK}{', '.join(' '.join(file.split()) for file in files)}. Change the layers and merge again.\n"
    text = head + yaml.dump(ordered, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    source, found = read_text(text)
    if source is None or found or source.data != ordered:
        # JSON is YAML, too; the emitter of YAML folds some texts with unusual line ends.
        return head + json.dumps(ordered, ensure_ascii=True, indent=2) + "\n"
    return text


def _ordered(kind: str, record: Any) -> Any:
    if not isinstance(record, dict):
        return record
    names = sorted(record, key=lambda name: (_RANKS.get(name, 500), name))
    return {name: _ordered_field(kind, name, record[name]) for name in names}


def _ordered_field(kind: str, name: str, value: Any) -> Any:
    if kind in ("document", "graph") and name in LISTS and isinstance(value, list):
        return [_ordered(LISTS[name], item) for item in value]
    if kind in ("document", "graph") and name in MAPPINGS and isinstance(value, dict):
        return {key: _ordered(MAPPINGS[name], item) for key, item in value.items()}
    return _ordered(RECORDS[kind, name], value) if (kind, name) in RECORDS else value


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    number = _LIKE_A_NUMBER.match(text) is not None
    quoted = text in FLAGS_1_1 or number or is_other_number(text) or "?" in text
    style = '"' if quoted or not text.isprintable() else None
    if "\n" in text and text.strip() == text.rstrip("\n") and text.replace("\n", "").isprintable():
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _mapping(dumper: _Dumper, data: Mapping[str, Any]) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=_is_short(data))


def _list(dumper: _Dumper, data: Sequence[Any]) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=_is_short(data))


def _is_short(data: Any) -> bool:
    """Whether a list or mapping fits on one line."""
    text = json.dumps(data, ensure_ascii=False)
    return len(text) <= _WIDTH and "\\n" not in text


_Dumper.add_representer(str, _text)
_Dumper.add_representer(dict, _mapping)
_Dumper.add_representer(list, _list)
