// Ids of nodes as words, for nodes without a label in their flow.

/** The name of a node, by its id. */
export type NameOf = (node: string) => string;

/** An id as words: `q.court_size` is "Court size". One or two letters before the first dot are the kind of the node. */
export function readable(id: string): string {
  const words = id
    .replace(/^[a-z]{1,2}\.(?=.)/, "")
    .replace(/[._-]+/g, " ")
    .trim();
  return words ? words[0]?.toUpperCase() + words.slice(1) : id;
}

/** The name of a type in words: `ToolDecision` is "Tool decision". */
export const spelled = (name: string): string =>
  readable(name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
