"""Answers over data: questions over known data sets, given to the data scientist and to a plain loop."""
