// The fields of a node, an edge or the flow, made from the JSON Schema of flow documents.

import { Fragment, type ReactNode, useState } from "react";
import { useText } from "../../app/language";
import type { Flow, FlowEdge, FlowNode } from "../../flow-canvas/flow";
import { Field, type FieldSchema } from "./Field";
import { Origin } from "./Layers";
import { words } from "./words";

/** The fields that are shown first; the others are below a line that opens. */
const FIRST = [
  "title",
  "description",
  "examples",
  "entry",
  "label",
  "key",
  "prompt",
  "read",
  "schema",
  "run",
  "with",
  "confirm",
  "map",
  "ref",
  "as",
  "say",
  "pick",
  "guard",
  "state",
  "constraints",
  "assurances",
];
/** The fields that are shown last. */
const LAST = ["options", "priority", "tags", "was"];
const LEFT_OUT = ["id", "type", "ui", "from", "to", "version", "nodes", "edges", "subgraphs"];

interface FieldsProps {
  of: FlowNode | FlowEdge;
  schemas: Record<string, FieldSchema>;
  flow: Flow;
  /** Further fields, after the label or the description. */
  children?: ReactNode;
}

export function FormFields({ of, schemas, flow, children }: FieldsProps): ReactNode {
  const say = useText(words);
  const names = Object.keys(schemas).filter((name) => !LEFT_OUT.includes(name));
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  // A field that is filled while the form is open stays where it is: it must not move under the hand.
  const [filled] = useState(() => Object.keys(of.data));
  const isFirst = (name: string) => FIRST.includes(name) || filled.includes(name);
  const first = names.filter(isFirst).sort((a, b) => rank(a) - rank(b));
  const rest = names.filter((name) => !isFirst(name)).sort((a, b) => LAST.indexOf(a) - LAST.indexOf(b));
  const field = (name: string) => (
    <div className="inspector-field">
      <Field name={name} schema={schemas[name] ?? {}} of={of} flow={flow} />
      <Origin of={of} name={name} />
    </div>
  );
  return (
    <>
      {first.map((name) => (
        <Fragment key={name}>
          {field(name)}
          {["label", "description"].includes(name) && children}
        </Fragment>
      ))}
      {rest.length > 0 && (
        <details className="inspector-more">
          <summary>{say.moreFields(rest.length)}</summary>
          {rest.map((name) => (
            <Fragment key={name}>{field(name)}</Fragment>
          ))}
        </details>
      )}
    </>
  );
}
