"""What GraphML calls things, and the attributes that keep what it has no words for."""

from __future__ import annotations

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"

OWN = "urn:graphwright:graphml"
"""The namespace of two attributes of `<key>`: `role` (the data is a label, a key or a type, no property) and `type`
(`json` where the text is JSON: for lists, and texts with characters that XML cannot hold)."""

ROLES = {"node": ("label", "key"), "edge": ("type",)}
"""By element, what its data must tell; in files of other programs, data with that name does."""

TYPES = {
    "string": "text",
    "boolean": "boolean",
    "int": "integer",
    "long": "integer",
    "float": "float",
    "double": "float",
}
"""By `attr.type`, what it is here."""
