"""Fixtures of the tests of the service."""

from upgrade_agent_support import local_service

__all__ = ["local_service"]
