"""Additions of the intake agent to Graphwright: its demo."""

from __future__ import annotations

from pathlib import Path

from graphwright.hooks import Demo

demo = Demo(Path(__file__).with_name("demo.json"), place=1)
