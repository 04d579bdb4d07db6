"""Scripted conversations: a file of turns and expectations, run against the real engine."""
