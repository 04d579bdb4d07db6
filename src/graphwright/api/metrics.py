"""Metrics of the service for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("graphwright_requests", "HTTP requests", ("method", "status"), registry=self._registry)
        self._turns = Counter("graphwright_turns", "Turns that ended", ("status",), registry=self._registry)
        self._seconds = Histogram(
            "graphwright_turn_seconds",
            "How long turns took",
            registry=self._registry,
            buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
        )
        self._running = Gauge("graphwright_turns_running", "Turns under way", registry=self._registry)

    def request(self, method: str, status: int) -> None:
        """Count a response."""
        self._requests.labels(method if method in _METHODS else "other", str(status)).inc()

    def turn(self, status: str, seconds: float) -> None:
        """Count a turn that ended, and its duration in seconds."""
        self._turns.labels(status).inc()
        self._seconds.observe(seconds)

    def watch(self, running: Callable[[], int]) -> None:
        """Set the function that returns the number of running turns when the metrics are read."""
        self._running.set_function(lambda: float(running()))

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self._registry)


_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
