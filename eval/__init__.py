"""The evaluation: messages and whole conversations with known answers, read by a real model, counted and reported."""
