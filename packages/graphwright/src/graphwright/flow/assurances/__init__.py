"""Assurances: properties that every conversation with a flow must have, and the proof of those that hold."""
