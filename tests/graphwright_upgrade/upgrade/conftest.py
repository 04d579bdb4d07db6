"""Fixtures of the tests of the agent."""

from upgrade_agent_support import local_service

__all__ = ["local_service"]
