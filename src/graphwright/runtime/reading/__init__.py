"""Reading the reply to a question: by code where code can, by a model where it must, and held against the words."""
