"""Research: questions over sample pages and a sample logbook, given to the assistant and to a plain loop."""
