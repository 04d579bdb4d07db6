"""The research assistant: questions answered from tools, files and the conversation, with their sources."""
