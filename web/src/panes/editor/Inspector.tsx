// The properties of the chosen node or edge, as a form made from the JSON Schema of flow documents.

import type { ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { visible } from "../../ui/visible";
import { editorApi } from "./api";
import { Choice, TextInput, YamlInput } from "./fields";
import { connect, renameNode, renameSubgraph, setField } from "./model/commands";
import { EXIT, type Fields, type Flow, type FlowEdge, type FlowNode } from "./model/flow";
import { useSession, useSessionState } from "./useSession";
import { kindWords, words } from "./words";
import { kindOf } from "./nodes";

/** The fields that are shown first; the others are below a line that opens. */
const FIRST = [
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
];
const LEFT_OUT = ["id", "type", "ui", "from", "to", "was"];
const LONG = ["prompt", "say", "invalid_prompt", "description"];
/** Fields that name a node. */
const NODES = ["on_error", "on_invalid"];

interface FieldSchema {
  type?: string;
  enum?: Json[];
  description?: string;
  anyOf?: FieldSchema[];
}

export function Inspector(): ReactNode {
  const session = useSession();
  const { flow, current, selection } = useSessionState();
  const say = useText(words);
  const kinds = useText(kindWords);
  const schema = useResource("flows/schema", editorApi.schema);
  if (!flow) return null;
  const node =
    selection?.kind === "nodes" && selection.ids.length === 1 ? flow.nodes.get(selection.ids[0] ?? "") : undefined;
  const edge = selection?.kind === "edge" ? flow.edges.get(selection.key) : undefined;
  const fieldsOf = (name: string): Record<string, FieldSchema> => {
    const all = (schema.data?.$defs ?? {}) as Record<string, { properties?: Record<string, FieldSchema> }>;
    return all[name]?.properties ?? {};
  };
  if (node) {
    const kind = kindOf(node.type);
    const name = kind ? kind.charAt(0).toUpperCase() + kind.slice(1) : "Decision";
    return (
      <form
        className="inspector"
        key={node.id}
        onSubmit={(event) => event.preventDefault()}
        aria-label={say.properties}
      >
        <h2>{kind ? kinds[kind] : node.type}</h2>
        <Identity node={node} readOnly={!current} />
        <FormFields of={node} schemas={fieldsOf(name)} flow={flow} />
        <Ways node={node} flow={flow} disabled={!current || !session.mayEdit} />
      </form>
    );
  }
  if (edge)
    return (
      <form
        className="inspector"
        key={edge.key}
        onSubmit={(event) => event.preventDefault()}
        aria-label={say.properties}
      >
        <h2 className="cut">{say.edge(edge.from, edge.to)}</h2>
        <FormFields of={edge} schemas={fieldsOf("Edge")} flow={flow} />
      </form>
    );
  const many = selection?.kind === "nodes" && selection.ids.length > 1;
  return <p className="inspector muted">{many ? say.manyChosen(selection.ids.length) : say.noneChosen}</p>;
}

function Identity({ node, readOnly }: { node: FlowNode; readOnly: boolean }): ReactNode {
  const session = useSession();
  const say = useText(words);
  const rename = (name: string) => {
    session.apply((text) => renameNode(text, node.id, name));
    session.select({ kind: "nodes", ids: [name] });
  };
  return (
    <TextInput label={say.rename} value={node.id} onChange={rename} mono disabled={readOnly || !session.mayEdit} />
  );
}

/** The edges that leave a node, and a choice that adds one: what dragging does, for the keyboard. */
function Ways({ node, flow, disabled }: { node: FlowNode; flow: Flow; disabled: boolean }): ReactNode {
  const session = useSession();
  const say = useText(words);
  if (node.type === "terminal") return null;
  const graph = flow.graphs.get(node.graph);
  const edges = graph?.edges.filter((edge) => edge.from === node.id) ?? [];
  const others = graph?.nodes.map((each) => each.id).filter((id) => id !== node.id) ?? [];
  const targets = node.graph ? [...others, EXIT] : others;
  const add = (to: string) => session.apply((text) => connect(text, node.graph, node.id, to));
  return (
    <div className="inspector-ways">
      <ul aria-label={say.edges}>
        {edges.map((edge) => (
          <li key={edge.key}>
            <button type="button" onClick={() => session.select({ kind: "edge", key: edge.key })}>
              → <span className="cut">{visible(edge.to)}</span>
              <code className="faint cut">
                {typeof edge.data.guard === "string" ? visible(edge.data.guard) : say.always}
              </code>
            </button>
          </li>
        ))}
      </ul>
      <Choice label={say.connectTo} value="" choices={targets} disabled={disabled} onChange={(to) => to && add(to)} />
    </div>
  );
}

interface FieldsProps {
  of: FlowNode | FlowEdge;
  schemas: Record<string, FieldSchema>;
  flow: Flow;
}

function FormFields({ of, schemas, flow }: FieldsProps): ReactNode {
  const say = useText(words);
  const names = Object.keys(schemas).filter((name) => !LEFT_OUT.includes(name));
  const isFirst = (name: string) => FIRST.includes(name) || name in of.data;
  const first = names.filter(isFirst).sort((a, b) => FIRST.indexOf(a) - FIRST.indexOf(b));
  const rest = names.filter((name) => !isFirst(name));
  const field = (name: string) => <Field key={name} name={name} schema={schemas[name] ?? {}} of={of} flow={flow} />;
  return (
    <>
      {first.map(field)}
      {rest.length > 0 && (
        <details className="inspector-more">
          <summary>{say.moreFields}</summary>
          {rest.map(field)}
        </details>
      )}
    </>
  );
}

function Field({
  name,
  schema,
  of,
  flow,
}: {
  name: string;
  schema: FieldSchema;
  of: FlowNode | FlowEdge;
  flow: Flow;
}): ReactNode {
  const session = useSession();
  const { current } = useSessionState();
  const palette = useResource(`palette:${session.agent}`, () => editorApi.palette(session.agent));
  const value = of.data[name];
  const disabled = !current || !session.mayEdit;
  const set = (next: Json | undefined) => session.apply((text) => setField(text, of.path, name, next));
  const about = { label: name, hint: schema.description ?? "", disabled };
  const choices = choicesOf(name, schema, flow, of, palette.data?.actions.map((each) => each.name) ?? []);
  if (schema.type === "boolean")
    return (
      <label className="inspector-check" title={about.hint}>
        <input
          type="checkbox"
          checked={value === true}
          disabled={disabled}
          onChange={(event) => set(event.target.checked)}
        />
        {name}
      </label>
    );
  if (schema.enum || NODES.includes(name))
    return <Choice {...about} value={text(value)} choices={choices} onChange={(next) => set(next || undefined)} />;
  if (schema.type === "integer" || schema.type === "number")
    return (
      <TextInput
        {...about}
        value={text(value)}
        onChange={(next) => {
          if (next.trim() && Number.isNaN(Number(next))) throw new Error(next);
          set(next.trim() ? Number(next) : undefined);
        }}
      />
    );
  const isText = schema.type === "string" || (schema.anyOf?.some((each) => each.type === "string") ?? false);
  if (isText && (value === undefined || typeof value === "string"))
    return (
      <TextInput
        {...about}
        value={text(value)}
        long={LONG.includes(name)}
        mono={!LONG.includes(name) && name !== "label"}
        choices={choices}
        onChange={(next) => {
          if (name === "ref" && of.data.type === "subgraph" && !flow.graphs.has(next) && flow.graphs.has(text(value)))
            session.apply((now) => renameSubgraph(now, text(value), next));
          else set(next || undefined);
        }}
      />
    );
  return <YamlInput {...about} value={value} onChange={set} />;
}

const text = (value: Json | undefined): string => (value === undefined || value === null ? "" : String(value));

function choicesOf(
  name: string,
  schema: FieldSchema,
  flow: Flow,
  of: FlowNode | FlowEdge,
  actions: string[],
): string[] {
  if (schema.enum) return schema.enum.map(String);
  if (NODES.includes(name)) return (flow.graphs.get(of.graph)?.nodes ?? []).map((each) => each.id);
  if (name === "run") return actions;
  if (name === "ref") return [...flow.graphs.keys()].filter(Boolean);
  if (name === "options") return Object.keys((flow.data.state ?? {}) as Fields);
  if (name === "guard") return ["else", ...Object.keys((flow.data.predicates ?? {}) as Fields)];
  return [];
}
