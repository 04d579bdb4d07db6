"""Knowledge: an index over folders of documents, what is found in it, and its MCP server."""

from graphwright.knowledge.accelerators import Accelerators
from graphwright.knowledge.embedding import Embedder, chosen_embedder
from graphwright.knowledge.errors import EmbedderUnavailable, IndexBusy, IndexUnusable, KnowledgeError, NoFolder
from graphwright.knowledge.finding import (
    IS_SAMPLE,
    ChosenKnowledge,
    configured_accelerators,
    configured_folder,
    own_index,
)
from graphwright.knowledge.index import Folder, KnowledgeIndex
from graphwright.knowledge.indexing import Indexed
from graphwright.knowledge.searching import ALL, snippet
from graphwright.knowledge.server import TOOL, make_server
from graphwright.knowledge.walking import Unread

__all__ = [
    # the index
    "KnowledgeIndex",
    "Folder",
    "Indexed",
    "Unread",
    # which one
    "ChosenKnowledge",
    "IS_SAMPLE",
    "own_index",
    "configured_folder",
    "configured_accelerators",
    # searching it
    "ALL",
    "Accelerators",
    "snippet",
    "TOOL",
    "make_server",
    # by meaning
    "Embedder",
    "chosen_embedder",
    # what can go wrong
    "KnowledgeError",
    "NoFolder",
    "IndexUnusable",
    "IndexBusy",
    "EmbedderUnavailable",
]
