"""Retrieval: one full-text index for passages of documents and log entries, and two MCP servers that search them."""

from __future__ import annotations

from graphwright.retrieval.builtin import BuiltinLogbook
from graphwright.retrieval.choosing import (
    IS_SAMPLE,
    ChosenKnowledge,
    configured_accelerators,
    configured_address,
    configured_folder,
    open_logbook,
    own_index,
)
from graphwright.retrieval.documents import ALL, Folder, KnowledgeIndex
from graphwright.retrieval.embedding import chosen_embedder
from graphwright.retrieval.errors import (
    EmbedderUnavailable,
    LogbookError,
    NoFolder,
    Refused,
    RetrievalError,
)
from graphwright.retrieval.importing import read_file
from graphwright.retrieval.logbook import Clock, Logbook, clock_of_environment
from graphwright.retrieval.searching import get_elog_thread, search_elog
from graphwright.retrieval.serving import LOG_IS_SAMPLE, knowledge_server, logbook_server
from graphwright.retrieval.updating import Indexed
from graphwright.retrieval.walking import Unread

__all__ = [
    # documents
    "KnowledgeIndex",
    "Folder",
    "Indexed",
    "Unread",
    "ALL",
    # by meaning
    "chosen_embedder",
    # logbooks
    "Logbook",
    "BuiltinLogbook",
    "search_elog",
    "get_elog_thread",
    "Clock",
    "clock_of_environment",
    # importing entries
    "read_file",
    # which ones
    "ChosenKnowledge",
    "own_index",
    "open_logbook",
    "configured_accelerators",
    "configured_address",
    "configured_folder",
    "IS_SAMPLE",
    "LOG_IS_SAMPLE",
    # serving them
    "knowledge_server",
    "logbook_server",
    # what can go wrong
    "RetrievalError",
    "NoFolder",
    "EmbedderUnavailable",
    "LogbookError",
    "Refused",
]
