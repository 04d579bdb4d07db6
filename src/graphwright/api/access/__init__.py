"""Access to the service: who asks, what is theirs, how much they may ask, and what they approved."""
