"""Assurances: what a flow promises of every conversation, and the proof of those that hold."""
