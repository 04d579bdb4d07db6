"""The files of a new agent, which `graphwright init` copies. This file is not copied."""
