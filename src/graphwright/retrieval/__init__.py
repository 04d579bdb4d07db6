"""Retrieval: one full-text index for passages of documents and log entries, and two MCP servers that search them."""

from __future__ import annotations

from graphwright.retrieval.choosing import (
    IS_SAMPLE,
    ChosenKnowledge,
    configured_accelerators,
    configured_address,
    configured_folder,
    open_logbook,
    own_index,
)
from graphwright.retrieval.documents import ALL, Folder, Indexed, KnowledgeIndex
from graphwright.retrieval.embedding import Embedder, chosen_embedder
from graphwright.retrieval.entries import BuiltinLogbook
from graphwright.retrieval.errors import EmbedderUnavailable, LogbookError, NoFolder, Refused, RetrievalError
from graphwright.retrieval.importing import read_file
from graphwright.retrieval.indexing import Unread
from graphwright.retrieval.logbook import Clock, Logbook, get_elog_thread, search_elog
from graphwright.retrieval.serving import LOG_IS_SAMPLE, knowledge_server, logbook_server

__all__ = [
    "ALL",
    "IS_SAMPLE",
    "LOG_IS_SAMPLE",
    "BuiltinLogbook",
    "ChosenKnowledge",
    "Clock",
    "Embedder",
    "EmbedderUnavailable",
    "Folder",
    "Indexed",
    "KnowledgeIndex",
    "Logbook",
    "LogbookError",
    "NoFolder",
    "Refused",
    "RetrievalError",
    "Unread",
    "chosen_embedder",
    "configured_accelerators",
    "configured_address",
    "configured_folder",
    "get_elog_thread",
    "knowledge_server",
    "logbook_server",
    "open_logbook",
    "own_index",
    "read_file",
    "search_elog",
]
