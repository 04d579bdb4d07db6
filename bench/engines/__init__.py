"""The same small flow, written by hand in each engine: one question, ten pure nodes with a three-term guard each."""
