"""The evaluation: results of the agents for users' messages, on a real model, counted and reported."""
