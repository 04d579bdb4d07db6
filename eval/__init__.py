"""The evaluation: what the agents make of what users say, on a real model, counted and reported."""
