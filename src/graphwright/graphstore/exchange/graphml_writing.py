"""Writing GraphML that other programs read, and that loses nothing on its way back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from graphwright.graphstore.elements import Edge, Element, Node, Value
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.exchange.graphml_words import NAMESPACE, OWN
from graphwright.graphstore.exchange.spool import Spool

Key = tuple[str, str, str, str]
"""The element it is for, `role` or an empty text, the name, and the type: string, boolean, long, double or json."""

# What XML 1.0 cannot hold, not even escaped.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def write(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """One document. Its keys come first, and are known only at the end of the elements."""
    file = files[0]
    with Spool() as spool:
        keys: dict[Key, None] = {}
        for element in elements:
            keys.update((key, None) for key, _ in _data(element))
            spool.add(element)
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(f'<graphml xmlns="{NAMESPACE}" xmlns:gw="{OWN}">\n')
        names = {}
        for key in sorted(keys):
            kind, role, name, type = key
            names[key] = "-".join(part for part in (kind, role and "is", name, type) if part)
            own = f' gw:role="{role}"' if role else ""
            own += f' gw:type="{"json" if type == "json" else "plain"}"'
            written = "string" if type == "json" else type
            file.write(f'<key id="{names[key]}" for="{kind}" attr.name="{name}" attr.type="{written}"{own}/>\n')
        file.write('<graph edgedefault="directed">\n')
        ids: dict[tuple[str, str], str] = {}
        for element in spool:
            texts = ((names[key], text.translate(_ESCAPES)) for key, text in _data(element))
            data = "".join(f'<data key="{name}">{text}</data>' for name, text in texts)
            if isinstance(element, Node):
                id = ids[(element.label, element.key)] = f"n{len(ids)}"
                file.write(f'<node id="{id}">{data}</node>\n')
            else:
                source, target = _ends(element, ids)
                file.write(f'<edge source="{source}" target="{target}">{data}</edge>\n')
        file.write("</graph>\n</graphml>\n")


def _ends(edge: Edge, ids: dict[tuple[str, str], str]) -> tuple[str, str]:
    ends = ((edge.from_label, edge.from_key), (edge.to_label, edge.to_key))
    for end in ends:
        if end not in ids:
            raise BadElement("bad_file", f"{edge.name} leads to a node that is not written", "Write both ends.")
    return ids[ends[0]], ids[ends[1]]


def _data(element: Element) -> Iterator[tuple[Key, str]]:
    kind = "node" if isinstance(element, Node) else "edge"
    for name, value in element.properties.items():
        yield _written(kind, "", name, value)
    # Programs that know nothing of roles keep the last of what has one name.
    if isinstance(element, Node):
        yield _written(kind, "label", "label", element.label)
        yield _written(kind, "key", "key", element.key)
    else:
        yield _written(kind, "type", "type", element.type)


def _written(kind: str, role: str, name: str, value: Value) -> tuple[Key, str]:
    match value:
        case bool():
            return (kind, role, name, "boolean"), "true" if value else "false"
        case int():
            return (kind, role, name, "long"), repr(value)
        case float():
            return (kind, role, name, "double"), repr(value)
        case str() if not _UNWRITABLE.search(value):
            return (kind, role, name, "string"), value
    # Escaped, so that nothing in it is left that XML cannot hold.
    return (kind, role, name, "json"), json.dumps(value)
