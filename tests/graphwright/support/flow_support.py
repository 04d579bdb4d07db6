"""Shared by the tests of the flow language: short documents, and the codes of a compilation."""

from graphwright.flow import Catalogue, Compilation, compile_text

HEAD = "version: v1\nid: demo\n"


def compiled(body: str, catalogue: Catalogue | None = None) -> Compilation:
    """Compile a document that is given without its first two lines."""
    return compile_text(HEAD + body, catalogue=catalogue)


def diagnostics_of(body: str, catalogue: Catalogue | None = None, *, infos: bool = False) -> set[tuple[str, str]]:
    """The (code, pointer) pairs of a document's diagnostics; infos only on request."""
    return {(d.code, d.pointer) for d in compiled(body, catalogue).diagnostics if infos or d.severity.value != "info"}
