"""Merging layers: records by id, fields by their strategy, removals; the conflicts and the diagnostics of the merge."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Reporter, Source, pointer
from graphwright.flow.diagnostics import Diagnostic, Related
from graphwright.flow.layers._conflicts import REMOVED, Conflict
from graphwright.flow.layers._joining import inner_origin, joined, same
from graphwright.flow.layers._reading import layer_name
from graphwright.flow.layers._strategies import CONDITIONS, DEFAULTS, FIXED, IDENTITY, Strategy, default_strategy
from graphwright.flow.layers._tree import (
    REMOVE,
    STRATEGIES,
    Origin,
    Record,
    Removal,
    Table,
    Value,
    graphs,
    nodes_of,
    part_name,
)
from graphwright.text.near_names import Names

_WHY = {
    Strategy.OVERRIDE: "the value of the highest layer replaces the others",
    Strategy.APPEND: "the values of all layers are joined",
    Strategy.CONCAT: "the values of all layers follow each other",
    Strategy.DEEP_MERGE: "the values of all layers are merged",
    Strategy.ERROR: "layers must not set it to different values",
}


class Merge:
    """Merges documents one after the other, lowest first. `root` is the result, `removals` all removed parts."""

    def __init__(self, lowest: Source) -> None:
        self.root = Record("document", {}, Origin(lowest, ()))
        self.removals: list[Removal] = []
        self.found: list[Diagnostic] = []
        self._conflicts: dict[tuple[str, str], Conflict] = {}
        self._chosen: dict[str, str] = {}
        self._layer = lowest
        self._out = Reporter(lowest)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The conflicts, in the order of their parts and fields."""
        return tuple(conflict for _, conflict in sorted(self._conflicts.items()))

    def add(self, source: Source, data: Mapping[str, Any]) -> None:
        """Merge a layer onto the result. `data` is its document, in which every field has the right type."""
        self._layer, self._out = source, Reporter(source)
        layer = Record("document", data, Origin(source, ()))
        self._choose(data.get(STRATEGIES) or {})
        self._drop_moved(layer)
        removed = len(self.removals)
        self._combine(self.root, layer, "document", "")
        self._remove_edges(self.removals[removed:])
        self.found += self._out.found

    def _choose(self, strategies: Mapping[str, str]) -> None:
        for name, strategy in strategies.items():
            self._chosen[name if "." in name else f"document.{name}"] = strategy

    def _drop_moved(self, layer: Record) -> None:
        """Report and ignore nodes of the layer that are in another graph in a lower layer."""
        known = {id: (name, node) for name, graph in graphs(self.root) for id, node in nodes_of(graph).items()}
        own = [(name, graph, node) for name, graph in graphs(layer) for node in nodes_of(graph).values()]
        removed = {(name, node.text("id")) for name, _, node in own if node.replaces}
        emptied = {name for name, graph in graphs(layer) if graph.replaces}
        known = {id: at for id, at in known.items() if (at[0], id) not in removed and at[0] not in emptied}
        for name, graph, node in own:
            before, lower = known.get(node.text("id"), (name, node))
            table = graph.fields["nodes"]
            if before != name and isinstance(table, Table):
                there = f"the subgraph `{before}`" if before else "the root graph"
                message = f"The node `{node.text('id')}` is in {there} in a lower layer, and here in another graph."
                hint = "Write it into the same graph, or remove it there with `remove: true`."
                self._report(Code.LAYER_KIND, node.origin, message, hint, lower.origin)
                table.entries = {key: each for key, each in table.entries.items() if each is not node}

    def _combine(self, lower: Record, upper: Record, part: str, prefix: str) -> None:
        """Merge the fields of a record onto those of the same record of lower layers."""
        lower.chosen |= self._known_strategies(upper)
        self._remove_fields(lower, upper, part, prefix)
        kinds = [each.text("type") for each in (lower, upper)] if upper.kind == "node" else []
        if all(kinds) and len(set(kinds)) == 2:
            message = f"`{upper.text('id')}` is of the type {kinds[0]} in a lower layer, and {kinds[1]} here."
            hint = "Choose another id, or replace the node with `remove: true` and all its fields."
            self._report(Code.LAYER_KIND, upper.fields["type"].origin, message, hint, lower.fields["type"].origin)
            return
        for name, new in upper.fields.items():
            old = lower.fields.get(name)
            strategy = self._strategy(upper.kind, name, lower.chosen)
            field = f"{prefix}{name}"
            if isinstance(new, Table):
                table = old if isinstance(old, Table) else Table(new.kind, new.origin, new.is_list)
                lower.fields[name] = self._table(table, new, strategy, part, field)
            elif isinstance(new, Record) and not isinstance(old, Record):
                lower.fields[name] = self._adopted(new, part, f"{field}.")
            elif isinstance(new, Record) and isinstance(old, Record):
                lower.fields[name] = self._record(old, new, strategy, part, field)
            elif isinstance(new, Value) and isinstance(old, Value):
                is_condition = (upper.kind, name) in CONDITIONS
                lower.fields[name] = self._value(old, new, strategy, part, field, is_condition)
            else:
                lower.fields[name] = new

    def _record(self, old: Record, new: Record, strategy: str, part: str, field: str) -> Record:
        """Merge a record inside a record, such as `confirm`."""
        if strategy == Strategy.OVERRIDE and not same(old.built()[0], new.built()[0]):
            self._note(part, field, strategy, Value(old.built()[0], old.origin), Value(new.built()[0], new.origin))
            return self._adopted(new, part, f"{field}.")
        if strategy == Strategy.ERROR and not same(old.built()[0], new.built()[0]):
            self._refuse(part, field, Value(old.built()[0], old.origin), Value(new.built()[0], new.origin))
        self._combine(old, new, part, f"{field}.")
        return old

    def _adopted(self, new: Record, part: str, prefix: str) -> Record:
        """A record that no lower layer has. Its parts are merged onto nothing, because they may remove something."""
        if new.kind == "graph" or REMOVE in new.data or STRATEGIES in new.data:
            empty = Record(new.kind, {}, new.origin)
            self._combine(empty, new, part, prefix)
            return empty
        return new

    def _table(self, lower: Table, upper: Table, strategy: str, part: str, field: str) -> Table:
        if strategy == Strategy.OVERRIDE and lower.entries:
            self._note(part, field, strategy, Value(None, lower.origin), Value(None, upper.origin))
            lower = Table(upper.kind, upper.origin, upper.is_list)
        elif strategy == Strategy.ERROR and lower.entries:
            self._refuse(part, field, Value(None, lower.origin), Value(None, upper.origin))
        keeps = strategy in (Strategy.APPEND, Strategy.CONCAT)
        for key, new in upper.entries.items():
            old = lower.entries.get(key)
            name = part_name(field, key, new)
            if isinstance(new, Record) and new.replaces:
                self._replace(lower, key, new, name)
            elif old is None:
                lower.entries[key] = self._adopted(new, name, "") if isinstance(new, Record) else new
            elif keeps:
                continue
            elif isinstance(old, Record) and isinstance(new, Record):
                self._combine(old, new, name, "")
            elif isinstance(old, Value) and isinstance(new, Value):
                chosen = self._chosen.get(name.partition(" ")[0], Strategy.OVERRIDE)
                lower.entries[key] = self._value(old, new, chosen, name, "", is_condition=True)
            else:
                lower.entries[key] = new
        return lower

    def _replace(self, table: Table, key: Hashable, new: Record, name: str) -> None:
        """Remove an entry of lower layers; if the record has further fields, it takes its place."""
        old = table.entries.get(key)
        removal = Removal(Origin(new.origin.source, (*new.origin.path, REMOVE)), name, name.partition(" ")[2])
        if isinstance(old, Record):
            removal.key = old.text("key")
            removal.edge = old.built()[0] if old.kind == "edge" else None
        if old is not None:
            self._conflicts = {at: each for at, each in self._conflicts.items() if at[0] != name}
            self._note_removal(removal, Value(old.built()[0], old.origin), replaced=not new.is_removal)
        elif key not in table.gone:
            known = [part_name("", each, part).partition(" ")[2] for each, part in table.entries.items()]
            hint = Names(known).hint(removal.name, "Leave `remove` out, or correct the name.")
            self._report(Code.NOTHING_REMOVED, removal.origin, f"No lower layer has the {name}.", hint)
        if new.is_removal:
            table.entries.pop(key, None)
            table.gone[key] = removal
        else:
            fields = {name: value for name, value in new.data.items() if name != REMOVE}
            table.entries[key] = self._adopted(Record(new.kind, fields, new.origin), name, "")

    def _remove_fields(self, lower: Record, upper: Record, part: str, prefix: str) -> None:
        names = upper.data.get(REMOVE)
        for place, name in enumerate(names if isinstance(names, list) else ()):
            origin = Origin(upper.origin.source, (*upper.origin.path, REMOVE, place))
            old = lower.fields.pop(name, None)
            removal = Removal(origin, f"{part}, {prefix}{name}", name)
            if old is None:
                hint = Names(list(lower.fields)).hint(name, "Leave it out.")
                message = f"No lower layer sets `{prefix}{name}` of the {part}."
                self._report(Code.NOTHING_REMOVED, origin, message, hint)
            else:
                self._note_removal(removal, Value(old.built()[0], old.origin), field=f"{prefix}{name}", part=part)

    def _note_removal(
        self, removal: Removal, old: Value, *, field: str = "", part: str = "", replaced: bool = False
    ) -> None:
        self.removals.append(removal)
        layer = layer_name(removal.origin.source.file)
        why = f"{layer} {'replaces' if replaced else 'removes'} it"
        conflict = Conflict(part or removal.part, field, REMOVE, why, layer)
        before = self._conflicts.get((conflict.part, field))
        conflict.settings = [*(before.settings if before else [(old.origin, old.data)]), (removal.origin, REMOVED)]
        self._conflicts[conflict.part, field] = conflict

    def _remove_edges(self, removals: Iterable[Removal]) -> None:
        """Remove the edges of lower layers at the nodes that this layer removes."""
        gone = {each.name: each for each in removals if each.part.startswith("node ")}
        for _, graph in graphs(self.root) if gone else ():
            table = graph.fields.get("edges")
            nodes = nodes_of(graph)
            for key, edge in list(table.entries.items()) if isinstance(table, Table) else ():
                if not isinstance(edge, Record) or edge.origin.source is self._layer:
                    continue
                ends = [name for name in (edge.text("from"), edge.text("to")) if name in gone and name not in nodes]
                if ends:
                    assert isinstance(table, Table)
                    removal = Removal(gone[ends[0]].origin, part_name("edges", key, edge), "", edge.built()[0])
                    table.gone[key] = removal
                    del table.entries[key]
                    self._note_removal(removal, Value(removal.edge, edge.origin))

    def _value(self, old: Value, new: Value, strategy: str, part: str, field: str, is_condition: bool = False) -> Value:
        """Merge two different values into one."""
        if same(old.data, new.data) and strategy != Strategy.CONCAT:
            return old
        if strategy == Strategy.DEEP_MERGE:
            return self._deep(old, new, part, field)
        if strategy == Strategy.ERROR:
            self._refuse(part, field, old, new)
            return new
        made = new if strategy == Strategy.OVERRIDE else joined(old, new, strategy, field if is_condition else "")
        if made is None:
            why = "it cannot be joined to the value of the lower layers; choose `override` to replace them"
            self._refuse(part, field, old, new, why)
            return new
        if made is not old:
            self._note(part, field, strategy, old, new)
        return made

    def _deep(self, old: Value, new: Value, part: str, field: str) -> Value:
        if isinstance(old.data, list) and isinstance(new.data, list):
            return self._value(old, new, Strategy.APPEND, part, field)
        if not isinstance(old.data, dict) or not isinstance(new.data, dict):
            return self._value(old, new, Strategy.OVERRIDE, part, field)
        data: dict[str, Any] = {}
        inner: dict[str | int, Origin] = {}
        for name in (*old.data, *(name for name in new.data if name not in old.data)):
            first, *others = [
                Value(each.data[name], inner_origin(each.origin, name)) for each in (old, new) if name in each.data
            ]
            for other in others:
                first = self._value(first, other, Strategy.DEEP_MERGE, part, f"{field}.{name}")
            data[name], inner[name] = first.data, first.origin
        return Value(data, Origin(old.origin.source, old.origin.path, inner))

    def _note(self, part: str, field: str, strategy: str, old: Value, new: Value) -> None:
        wins = layer_name(new.origin.source.file) if strategy == Strategy.OVERRIDE else ""
        self._add(Conflict(part, field, strategy, _WHY[Strategy(strategy)], wins), old, new)

    def _refuse(self, part: str, field: str, old: Value, new: Value, why: str = "") -> None:
        """Report a conflict that makes a strict merge fail."""
        wins = layer_name(new.origin.source.file)
        self._add(Conflict(part, field, Strategy.ERROR, why or _WHY[Strategy.ERROR], wins, is_error=True), old, new)
        what = f"`{field}` of the {part}" if field else f"The {part}"
        lower = layer_name(old.origin.source.file)
        message = f"{what} differs from {lower}: {why or _WHY[Strategy.ERROR]}."
        chosen = field.partition(".")[0] or part.partition(" ")[0]
        hint = f"Leave it as it is in {lower}, or choose another strategy: `strategies: {{{chosen}: override}}`."
        self._report(Code.LAYERS_CONFLICT, new.origin, message, hint, old.origin)

    def _add(self, conflict: Conflict, old: Value, new: Value) -> None:
        key = (conflict.part, conflict.field)
        before = self._conflicts.get(key)
        conflict.settings = before.settings if before is not None else [(old.origin, old.data)]
        conflict.settings.append((new.origin, new.data))
        conflict.is_error |= before is not None and before.is_error
        self._conflicts[key] = conflict

    def _strategy(self, kind: str, name: str, chosen: Mapping[str, str]) -> str:
        if (kind, name) in FIXED:
            return default_strategy(kind, name)
        own = chosen.get(name) if kind != "document" else None
        return own or self._chosen.get(f"{kind}.{name}") or default_strategy(kind, name)

    def _known_strategies(self, record: Record) -> Mapping[str, str]:
        """The strategies that a record chooses, without those for fields that do not exist."""
        if not record.chosen:
            return {}
        known = list(_choosable(record.kind))
        if record.kind == "document":
            known += [f"{kind}.{name}" for kind in DEFAULTS if kind != "document" for name in _choosable(kind)]
            known.append("predicate")
        for name in record.chosen:
            if name not in known:
                at = Origin(record.origin.source, (*record.origin.path, STRATEGIES, name))
                message = f"There is no strategy to choose for `{name[:60]}` here."
                self._report(Code.UNKNOWN_FIELD, at, message, Names(known).hint(name, "Name a field of this record."))
        return {name: strategy for name, strategy in record.chosen.items() if name in known}

    def _report(self, code: Code, origin: Origin, message: str, hint: str, lower: Origin | None = None) -> None:
        reporter = Reporter(origin.source)
        reporter.add(code, origin.path, message, hint)
        (diagnostic,) = reporter.found
        if lower is not None:
            file, at = lower.source.file, lower.path
            related = Related("the lower layer", lower.source.span(at), pointer(at), file)
            diagnostic = replace(diagnostic, related=(related,))
        self._out.found.append(diagnostic)


def _choosable(kind: str) -> Iterator[str]:
    """The fields of a kind of record for which a layer can choose a strategy."""
    for name, default in DEFAULTS.get(kind, {}).items():
        if default != IDENTITY and (kind, name) not in FIXED:
            yield name
