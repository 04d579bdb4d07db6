// The trace: the list of conversations, and the trace of one of them.

import "./trace.css";
import type { ReactNode } from "react";
import type { PaneProps } from "../props";
import { List } from "./List";
import { OfThread } from "./OfThread";

export default function Trace({ rest, query, beside }: PaneProps): ReactNode {
  const thread = rest[0] ?? "";
  return thread ? <OfThread key={thread} id={thread} query={query} beside={beside ?? false} /> : <List query={query} />;
}
