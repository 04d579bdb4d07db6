"""The data scientist: questions over data, answered by code that ran in the sandbox, with what it found and how."""
