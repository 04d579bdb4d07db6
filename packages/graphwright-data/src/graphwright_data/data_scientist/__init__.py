"""The data scientist: answers questions over data by code that runs in the sandbox, with results and sources."""
