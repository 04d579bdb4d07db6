"""Prints docs/diagnostics.md: `python -m graphwright.flow.codes > docs/diagnostics.md`."""

import sys

from graphwright.flow.codes.page import codes_page

sys.stdout.write(codes_page())
