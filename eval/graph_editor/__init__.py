"""Graph editing: goals over known graphs with known outcomes, for the graph editor agent and a plain tool loop."""
