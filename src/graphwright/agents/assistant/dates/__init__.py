"""When a question speaks of: days and spans, relative or named, English or German, computed from the clock."""

from graphwright.agents.assistant.dates.beside import beside
from graphwright.agents.assistant.dates.periods import Period, period_in

__all__ = ["Period", "beside", "period_in"]
