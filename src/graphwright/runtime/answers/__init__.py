"""Answers: what a reply says, read by a model and held against the words, or by code where it is closed and small."""
