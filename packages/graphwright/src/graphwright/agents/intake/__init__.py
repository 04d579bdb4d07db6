"""The intake agent: a guided conversation that turns a lighting enquiry into a lead."""
