"""What is known of an experiment or a request, and what speaks against it: checked here before the server is asked."""
