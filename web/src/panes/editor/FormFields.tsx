// The fields of a node, an edge or the flow, made from the JSON Schema of flow documents.

import { ListPlus } from "lucide-react";
import { Fragment, type ReactNode, useState } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { readable } from "../../app/readable";
import { useResource } from "../../app/resource";
import { Button } from "../../ui";
import { visible } from "../../ui/visible";
import { editorApi } from "./api";
import { AnswerForm } from "./AnswerForm";
import { ConfirmedBy } from "./ConfirmedBy";
import { Choice, TextInput, YamlInput } from "./fields";
import { allAnswers, answersFor } from "./model/answers";
import { useFieldName } from "./fieldWords";
import { useHeadline } from "./headlines";
import { Origin } from "./Layers";
import { renameSubgraph, setField } from "./model/commands";
import { fields, type Fields, type Flow, type FlowEdge, type FlowNode } from "../../flow-canvas/flow";
import { titlesOf } from "../../flow-canvas/titles";
import { SELF, isBelow, override, pointerOf } from "./model/layers";
import { renameAnswer } from "./model/renameAnswer";
import { useSession, useSessionState } from "./useSession";
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
];
/** The fields that are shown last. */
const LAST = ["options", "priority", "tags", "was"];
const LEFT_OUT = ["id", "type", "ui", "from", "to", "version", "nodes", "edges", "subgraphs"];
const LONG = ["prompt", "say", "invalid_prompt", "description"];
/** Short texts that people read. */
const PLAIN = ["label", "title"];
/** Lists of texts, which are written one in a line. */
const LINES = ["examples", "tags"];
/** Fields that name a node. */
const NODES = ["on_error", "on_invalid", "entry", "on_stuck", "on_escalate", "on_abandon"];

export interface FieldSchema {
  type?: string;
  enum?: Json[];
  description?: string;
  anyOf?: FieldSchema[];
}

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
  const { current, layers } = useSessionState();
  const palette = useResource(`palette:${session.agent}`, () => editorApi.palette(session.agent));
  const value = of.data[name];
  const disabled = !current || !session.mayEdit;
  const setOf = (field: string, next: Json | undefined) =>
    session.apply((text) => {
      if (layers) return override(text, of, field, next, isBelow(layers, of, field));
      const done = setField(text, of.path, field, next);
      // Without a schema, a reply that is neither yes nor no would be the answer, too.
      const isYesOrNo = field === "read" && next === "confirm" && of.data.schema === undefined;
      return isYesOrNo ? setField(done, of.path, "schema", { type: "boolean" }) : done;
    });
  const set = (next: Json | undefined) => setOf(name, next);
  /** Sets a part of the value, not the whole value: a long flow is read later, so that it may be old. */
  const setPart = (field: string, part: string, next: Json | undefined) => {
    const { [part]: _, ...others } = fields(of.data[field]);
    if (layers) setOf(field, next === undefined ? others : { ...others, [part]: next });
    else session.apply((now) => setField(now, [...of.path, field], part, next));
  };
  const say = useText(words);
  const empty: Record<string, string> = {
    label: of.data.id === undefined ? say.asGuard : readable(text(of.data.id)),
    guard: say.always,
    read: say.readDefault,
    ask: say.askDefault,
    pick: say.pickDefault,
    entry: say.entryDefault,
  };
  const placeholder = empty[name] ?? (NODES.includes(name) ? say.noNode : undefined);
  const wrong = useWrong(of, name);
  const about = { ...useFieldName(name), hint: schema.description ?? "", disabled, placeholder, wrong };
  const isVerbatim = name === "read" && value === "verbatim" && flow.graphs.get("")?.entry === of.data.id;
  const choices = choicesOf(name, schema, flow, of, palette.data?.actions.map((each) => each.name) ?? []);
  if (schema.type === "boolean")
    // Not a box to check: what is not written is the default, which may be either.
    return (
      <Choice
        {...about}
        value={text(value)}
        choices={["true", "false"]}
        onChange={(next) => set(next ? next === "true" : undefined)}
      />
    );
  if (schema.enum || NODES.includes(name))
    return (
      <Choice
        {...about}
        value={text(value)}
        choices={choices}
        titleOf={NODES.includes(name) ? titlesOf(flow.nodes.values()) : undefined}
        note={isVerbatim ? say.verbatimFirst : ""}
        onChange={(next) => set(next || undefined)}
      />
    );
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
        mono={!LONG.includes(name) && !PLAIN.includes(name)}
        choices={choices}
        insertions={LONG.includes(name) && "id" in of ? answersFor(flow, of) : []}
        onChange={(next) => {
          if (name === "ref" && of.data.type === "subgraph" && !flow.graphs.has(next) && flow.graphs.has(text(value)))
            session.apply((now) => renameSubgraph(now, text(value), next));
          else if (name === "key" && "id" in of && !layers) session.apply((now) => renameAnswer(now, of.id, next));
          else set(next || undefined);
        }}
      />
    );
  const lines = linesOf(value);
  if (LINES.includes(name) && lines !== null)
    return (
      <TextInput
        {...about}
        value={lines.join("\n")}
        long
        placeholder={say.oneInALine}
        onChange={(next) => {
          const written = next.split("\n").filter((each) => each.trim() !== "");
          set(written.length > 0 ? written : undefined);
        }}
      />
    );
  if (name === "schema")
    return (
      <>
        <AnswerForm of={of} disabled={disabled} set={set} setPart={setPart} setField={setOf} />
        <YamlInput {...about} value={value} onChange={set} />
      </>
    );
  if (name === "confirm" && "id" in of)
    return (
      <>
        <ConfirmedBy of={of} flow={flow} disabled={disabled} onChange={set} />
        <YamlInput {...about} value={value} onChange={set} />
      </>
    );
  return (
    <>
      <YamlInput {...about} value={value} onChange={set} />
      {name === "with" && of.data.run === "record" && "id" in of && (
        <Button
          className="inspector-take"
          icon={ListPlus}
          disabled={disabled}
          onClick={() => set({ collection: "entries", ...fields(value), value: allAnswers(flow, of.graph) })}
        >
          {say.takeAnswers}
        </Button>
      )}
    </>
  );
}

/** A list of texts; null if it is something else. */
const linesOf = (value: Json | undefined): string[] | null => {
  const list = value ?? [];
  return Array.isArray(list) && list.every((each) => typeof each === "string") ? list : null;
};

/** The message of the compiler about a field of a node or an edge. */
function useWrong(of: FlowNode | FlowEdge, name: string): string | undefined {
  const headline = useHeadline();
  const { checked, checkedText, text: now } = useSessionState();
  if (!checked || checkedText !== now) return undefined;
  const pointer = pointerOf([...of.path, name]);
  const found = checked.diagnostics.find(
    (each) =>
      each.file === SELF &&
      each.severity === "error" &&
      (each.pointer === pointer || each.pointer.startsWith(`${pointer}/`)),
  );
  return found && visible(headline(found, text(of.data.id)) || `${found.message} ${found.hint}`.trim());
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
