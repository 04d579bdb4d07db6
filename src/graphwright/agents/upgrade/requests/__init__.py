"""What a user asks for, read out of his words and held against what is there."""
