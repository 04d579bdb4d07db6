"""Pictures of graphs with nodes and edges: text metrics, the layered layout and the SVG writer."""
