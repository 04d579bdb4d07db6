// Ids of the nodes of a flow as words, for nodes that their flow gives no label.

/** The name of a node, by its id. */
export type NameOf = (node: string) => string;

/** An id as words: `q.court_size` is "Court size". The letter or two before the first dot say the kind of the node. */
export function readable(id: string): string {
  const words = id
    .replace(/^[a-z]{1,2}\.(?=.)/, "")
    .replace(/[._-]+/g, " ")
    .trim();
  return words ? words[0]?.toUpperCase() + words.slice(1) : id;
}
