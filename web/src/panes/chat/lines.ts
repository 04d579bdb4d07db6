// Lines of a paragraph. Markdown joins them; agents write lines, and mean them.

interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

/** A plugin of remark: where a line of text ends, a line of the page ends. */
export const withLines = () => (tree: Node) => breakLines(tree);

function breakLines(node: Node): void {
  if (!node.children) return;
  node.children = node.children.flatMap((child) => {
    if (child.type !== "text") {
      breakLines(child);
      return [child];
    }
    const lines = (child.value ?? "").split(/ *\n */).map((value) => ({ type: "text", value }));
    return lines.flatMap((line, place) => (place > 0 ? [{ type: "break" }, line] : [line]));
  });
}
