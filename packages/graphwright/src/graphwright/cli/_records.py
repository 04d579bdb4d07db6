"""`graphwright records`: the records that actions keep beyond their threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from graphwright.cli.console import columns, minute, note, print_line, result_json
from graphwright.cli.conversation import with_store
from graphwright.cli.failures import Debug, Json


def records(
    collection: Annotated[
        str | None, typer.Argument(metavar="[COLLECTION]", help="List the records of this collection.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="The largest number of records.")] = 100,
    skip: Annotated[int, typer.Option("--skip", metavar="N", min=0, help="Records to leave out, from the oldest.")] = 0,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List the collections of records, or the records of one, the oldest first.

    Actions keep records beyond their threads, such as `record` and `hand_over`.
    """
    if collection is None:
        _show_collections(with_store(lambda store: store.records.collections()), as_json=as_json)
        return
    found = with_store(lambda store: store.records.list(collection, limit, skip))
    if as_json:
        result_json([asdict(each) for each in found])
        return
    if not found:
        note(f"There are no records in {collection!r}.")
    for each in found:
        from graphwright.testing._trace_lines import value_text

        print_line((minute(each.created), "dim"), f"  {each.agent}  {each.thread}  {value_text(each.value, 1000)}")


def _show_collections(counts: Mapping[str, int], *, as_json: bool) -> None:
    if as_json:
        result_json(dict(counts))
    elif counts:
        columns([(name, str(count)) for name, count in counts.items()], ("COLLECTION", "RECORDS"))
    else:
        note("There are no records yet.")
