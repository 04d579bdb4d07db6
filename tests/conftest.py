"""What all tests share: interruptions reach the programs they start, however the tests themselves were started."""

from __future__ import annotations

import signal

# A shell starts background jobs with SIGINT ignored, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
