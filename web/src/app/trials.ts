// The collections in which trials of drafts keep their records.

/** The agent whose draft is tried, and the collection that this one replaces; null for a collection of users. */
export function ofTrial(collection: string): { agent: string; name: string } | null {
  const [draft, agent, ...name] = collection.split(":");
  return draft === "draft" && agent && name.length > 0 ? { agent, name: name.join(":") } : null;
}
