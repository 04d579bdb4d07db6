"""Hosts a compiled flow: sessions, turns, actions, answers, effects once, events."""
