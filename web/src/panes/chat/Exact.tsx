// The exact content of an approval, in words and unchanged.

import type { ReactNode } from "react";
import { type Approval, type JsonObject, api } from "../../api";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { Disclosure } from "../../ui";
import { JsonView } from "../../ui/json";
import { worded } from "./exactWords";
import { words } from "./words";

/** Without a thread, and until its flow is loaded, the content is shown unchanged. */
export function Exact({ approval, thread }: { approval: Approval; thread: string }): ReactNode {
  const say = useText(words);
  const flow = useResource(thread ? `flow?${thread}` : null, () => api.flow(thread));
  const { over, marks } = approval;
  const raw = <JsonView value={over} marks={marks} />;
  if (!flow.data) return raw;
  const { value, nameOf } = worded(over, flow.data.document as JsonObject);
  return (
    <>
      <JsonView value={value} marks={marks} label={nameOf} />
      <Disclosure summary={<span>{say.asStored}</span>}>{() => raw}</Disclosure>
    </>
  );
}
