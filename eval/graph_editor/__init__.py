"""Graph editing: goals over known graphs with known ends, given to the graph editor agent and to a plain tool loop."""
