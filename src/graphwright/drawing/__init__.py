"""Pictures of anything that has nodes and edges: text metrics, the layered layout and the SVG writer."""
