"""Hosts a compiled flow on LangGraph: sessions, turns, interrupts, resume, events."""
