"""The catalogue of diagnostics: code, severity, reason, a failing example and a corrected one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from graphwright.flow.compiled import ActionSignature, Catalogue
from graphwright.flow.diagnostics import Severity

_FILE = Path(__file__).with_name("diagnostic_catalog.yaml")
_HEAD = "version: v1\nid: demo\n"


class Code(StrEnum):
    """The stable code of each diagnostic; the member name is used by the compiler."""

    # text and shape
    NOT_TEXT = "GW101"
    EMPTY = "GW102"
    TOO_LARGE = "GW103"
    SYNTAX = "GW104"
    DUPLICATE_FIELD = "GW105"
    ALIASES = "GW106"
    YAML_FEATURE = "GW107"
    TOO_DEEP = "GW108"
    KEY_NOT_TEXT = "GW109"
    NOT_JSON = "GW110"
    NOT_A_MAPPING = "GW111"
    YAML_PORTABILITY = "GW112"
    SCALAR_NOT_TEXT = "GW113"
    TEXT_CUT = "GW114"
    UNKNOWN_FIELD = "GW120"
    MISSING_FIELD = "GW121"
    WRONG_TYPE = "GW122"
    UNKNOWN_VALUE = "GW123"
    VERSION = "GW124"
    BAD_NAME = "GW125"
    RESERVED_NAME = "GW126"
    OUT_OF_RANGE = "GW127"
    # nodes, edges and reachability
    DUPLICATE_NODE = "GW201"
    UNKNOWN_NODE = "GW202"
    OTHER_GRAPH = "GW203"
    DUPLICATE_EDGE = "GW204"
    NO_NODES = "GW205"
    WAS_TAKEN = "GW206"
    UNREACHABLE = "GW210"
    NO_END = "GW211"
    DEAD_END = "GW212"
    ENDLESS_CYCLE = "GW213"
    EDGE_FROM_TERMINAL = "GW214"
    OPEN_TOGETHER = "GW215"
    ELSE_TWICE = "GW216"
    PICK_NOT_QUESTION = "GW217"
    SAME_EDGE_TWICE = "GW218"
    NOT_COVERED = "GW219"
    OVERLAP = "GW220"
    IDLE_ELSE = "GW221"
    NEVER_TAKEN = "GW222"
    ACTIONS_FOR_EVER = "GW223"
    ENDLESS_TURN = "GW224"
    BACK_TO_ANSWERED = "GW225"
    CALL_ASKS_NOTHING = "GW226"
    NEVER_ASKED = "GW227"
    PICK_ASKS_ONE = "GW228"
    EDGES_ALIKE = "GW229"
    # guards and templates
    GUARD_SYNTAX = "GW301"
    GUARD_NAME = "GW302"
    GUARD_TYPE = "GW303"
    GUARD_NOT_BOOLEAN = "GW304"
    GUARD_LITERAL = "GW305"
    GUARD_LIMIT = "GW306"
    GUARD_PATTERN = "GW307"
    TEMPLATE = "GW308"
    PREDICATE_CYCLE = "GW309"
    UNKNOWN_VALIDATOR = "GW310"
    NEVER_TRUE = "GW311"
    SINGLE_BRACES = "GW312"
    ALWAYS_TRUE = "GW313"
    # questions and answers
    KEY_TWO_SCHEMAS = "GW401"
    KEY_NOT_READ = "GW402"
    NO_OPTIONS = "GW403"
    BAD_SCHEMA = "GW404"
    SCHEMA_KEYWORD = "GW405"
    SCHEMA_ALLOWS_NOTHING = "GW406"
    CONFIRM_SCHEMA = "GW407"
    MAY_BE_UNASKED = "GW408"
    OPTIONS_CHANNEL = "GW409"
    OPTIONS_NOT_READ = "GW410"
    VERBATIM_SCHEMA = "GW411"
    UNKNOWN_FORMAT = "GW412"
    NO_WAY_OUT = "GW413"
    FREE_TEXT_COMPARED = "GW414"
    CONFIRM_COMPARED = "GW415"
    NOT_RECONSIDERED = "GW416"
    OPTIONS_ALIKE = "GW417"
    TEXT_TAKEN_AS_YES = "GW418"
    PACKAGE_MISSING = "GW419"
    CORRECTION_LOOPS = "GW420"
    CHECKED_BY_ITSELF = "GW421"
    NO_ASKS_AGAIN = "GW422"
    ANSWER_NOT_PASSED_ON = "GW423"
    ANSWER_REPLACED = "GW424"
    OPTION_REFUSED = "GW425"
    LIMIT_WITHOUT_EFFECT = "GW426"
    NOT_CORRECTABLE = "GW427"
    VALIDATES_NOTHING = "GW428"
    # actions and channels
    UNKNOWN_ACTION = "GW501"
    ACTION_READS = "GW502"
    ACTION_WRITES = "GW503"
    BAD_DEFAULT = "GW504"
    APPEND_NOT_LIST = "GW505"
    CONFIRM_BY = "GW506"
    CONFIRM_OVER = "GW507"
    STATE_VIEW = "GW508"
    CONFIRM_WHEN = "GW509"
    CHANNEL_UNSET = "GW510"
    CHANNEL_KEPT = "GW511"
    CONFIRM_OMITS = "GW512"
    CONFIRM_VOID = "GW513"
    ACTION_RETURNS = "GW514"
    NOT_REPEATED = "GW515"
    YES_LEADS_ELSEWHERE = "GW516"
    CHANNEL_NOT_WRITTEN = "GW517"
    UNDECLARED_READ = "GW518"
    YES_UNBOUND = "GW519"
    TEXT_CHANNEL = "GW520"
    LIST_REPLACED = "GW521"
    READ_TOO_EARLY = "GW522"
    NO_IGNORED = "GW523"
    CONFIRM_UNSEEN = "GW524"
    CHANNEL_UNUSED = "GW525"
    CHANNEL_NOT_READ = "GW526"
    NO_EFFECT = "GW527"
    EFFECT_TOO_EARLY = "GW528"
    RESULT_REPLACED = "GW529"
    FAILURE_UNSEEN = "GW530"
    CONFIRM_REQUIRED = "GW540"
    REQUEST_ADDRESS = "GW541"
    PROMPT_FILE = "GW542"
    ANSWER_MISFITS = "GW543"
    MAP_OVER = "GW550"
    MAP_CHANNEL = "GW551"
    MAP_INSIDE = "GW552"
    # subgraphs
    UNKNOWN_SUBGRAPH = "GW601"
    UNUSED_SUBGRAPH = "GW602"
    EXIT_OUTSIDE = "GW603"
    SCOPE_NAME = "GW604"
    NO_PATHS = "GW605"
    CALLS_TOO_DEEP = "GW606"
    CALL_NEVER_RETURNS = "GW607"
    # constraints, paths and assurances
    CONSTRAINT_KEY = "GW701"
    UNKNOWN_PREDICATE = "GW702"
    UNUSED_PATHS = "GW703"
    CONSTRAINT_FORM = "GW704"
    NO_PATH_TO_READ = "GW705"
    PATHS_SHARE_KEY = "GW706"
    PATH_NOT_ENTERED = "GW707"
    CONSTRAINT_UNMET = "GW708"
    ASSURANCE_FORM = "GW709"
    ASSURANCE_NAME = "GW710"
    ASSURANCE_FAILS = "GW711"
    ASSURANCE_UNKNOWN = "GW712"
    CONSTRAINT_TOO_LATE = "GW713"
    PATH_NOT_CHOSEN = "GW714"
    # layers
    LAYER_UNREADABLE = "GW801"
    LAYER_CYCLE = "GW802"
    LAYER_KIND = "GW803"
    LAYERS_CONFLICT = "GW804"
    NOTHING_REMOVED = "GW805"

    @property
    def severity(self) -> Severity:
        return Severity(_written()[self]["severity"])


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of one code. The examples are compiled with `catalogue` if they need one.

    `files` are the documents that they extend, by name.
    """

    code: Code
    title: str
    severity: Severity
    why: str
    failing: str
    mended: str
    catalogue: Catalogue | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def read(self, name: str) -> bytes:
        """The content of a document that the examples extend. Raises FileNotFoundError."""
        if name not in self.files:
            raise FileNotFoundError(2, "No such file or directory", name)
        return self.files[name].encode()


@cache
def catalog() -> Mapping[Code, Entry]:
    """All entries by code."""
    return {Code(name): _entry(Code(name), entry) for name, entry in _written().items()}


@cache
def _written() -> Mapping[str, Mapping[str, Any]]:
    """The file, by code. It is read at the first call, because a flow without findings does not need it."""
    import yaml

    entries: dict[str, Any] = yaml.load(_FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return entries


def _entry(code: Code, entry: Mapping[str, Any]) -> Entry:
    return Entry(
        code,
        entry["title"],
        Severity(entry["severity"]),
        entry["why"],
        _document(entry["failing"]),
        _document(entry["mended"]),
        _catalogue(entry["catalogue"]) if "catalogue" in entry else None,
        {name: _document(text) for name, text in entry.get("files", {}).items()},
    )


def _document(text: str | Mapping[str, Any]) -> str:
    if not isinstance(text, str):
        fill = str(text["fill"])
        parts = (fill.replace("@+1", str(n + 1)).replace("@", str(n)) for n in range(1, text["times"] + 1))
        return str(text["begin"]) + ("".join(parts) if "@" in fill else fill * text["times"])
    return text if text.startswith(("version", "#", "-", "{")) else _HEAD + text


def _catalogue(offered: Mapping[str, Any]) -> Catalogue:
    actions = {
        name: ActionSignature(
            name,
            tuple(action["reads"]),
            tuple(action["writes"]),
            effects=action.get("effects", True),
            returns=action.get("returns", {}),
            uses=frozenset(action.get("uses", ())),
            demands=frozenset(action.get("demands", ())),
            always=frozenset(action.get("always", ())),
        )
        for name, action in offered.get("actions", {}).items()
    }
    fields = frozenset(offered["state_fields"]) if "state_fields" in offered else None
    return Catalogue(
        actions=actions,
        validators=frozenset(offered.get("validators", ())),
        state_fields=fields,
        missing=frozenset(offered.get("missing", ())),
        prompts=offered.get("prompts"),
    )
