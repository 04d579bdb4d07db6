"""The files of a new agent, as `graphwright init` writes them. This one stays here."""
