// A field of a node, an edge or the flow, by its name or its type.

import { ListPlus } from "lucide-react";
import type { ReactNode } from "react";
import type { Json } from "../../api";
import { useText } from "../../app/language";
import { readable } from "../../app/readable";
import { useResource } from "../../app/resource";
import { Button } from "../../ui";
import { visible } from "../../ui/visible";
import { ConfirmForm, MapForm, RetryForm } from "./ActionForms";
import { editorApi } from "./api";
import { AnswerForm } from "./AnswerForm";
import { ExpressionInput } from "./ExpressionInput";
import { Choice, TextInput, YamlInput } from "./fields";
import { useFieldName } from "./fieldWords";
import { AssurancesForm, ChannelsForm, ConstraintsForm } from "./FlowForms";
import { formWords } from "./formWords";
import { GuardForm } from "./GuardForm";
import { useHeadline } from "./headlines";
import { allAnswers, answersFor } from "./model/answers";
import { renameSubgraph, setField } from "./model/commands";
import { fields, type Fields, type Flow, type FlowEdge, type FlowNode } from "../../flow-canvas/flow";
import { readFlow } from "./model/flow";
import { SELF, isBelow, override, pointerOf } from "./model/layers";
import { changedData, changedPart, type PartChange } from "./model/parts";
import { labelled } from "./model/naming";
import { renameAnswer } from "./model/renameAnswer";
import { useNodeTitles } from "./nodeTitles";
import { ParametersForm } from "./ParametersForm";
import { PathsForm } from "./PathsForm";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const LONG = ["prompt", "say", "invalid_prompt", "description"];
const EXPRESSIONS = ["when", "validate"];
/** Short texts that people read. */
const PLAIN = ["label", "title"];
/** Lists of texts, which are written one in a line. */
const LINES = ["examples", "tags"];
/** The actions that need no code. */
const READY_MADE = ["ask_model", "call_tool", "http_request", "record", "hand_over"];
/** Fields that name a node. */
const NODES = ["on_error", "on_invalid", "entry", "on_stuck", "on_escalate", "on_abandon"];

/** The forms of fields of a flow. */
const FLOW_FORMS: Record<string, typeof ChannelsForm> = {
  state: ChannelsForm,
  paths: PathsForm,
  constraints: ConstraintsForm,
  assurances: AssurancesForm,
};

const DEFAULTS: Record<string, string> = { read: "extract", ask: "once" };
/** The words for the values of fields. */
const ENUM_WORDS: Record<string, string> = {
  "read.extract": "extract",
  "read.verbatim": "verbatim",
  "read.choice": "choice",
  "read.confirm": "confirm",
  "ask.once": "once",
  "ask.always": "ask_always",
  "pick.question": "pick_question",
};

export interface FieldSchema {
  type?: string;
  enum?: Json[];
  description?: string;
  anyOf?: FieldSchema[];
}

export function Field({
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
  /** Changes a part of a field, not the whole value: a long flow is read later, so that it may be old. */
  const change = (part: PartChange) => {
    if (!layers) return session.apply((now) => changedPart(now, of.path, part));
    const [field = ""] = "set" in part ? part.set : "add" in part ? part.add : part.rename;
    return setOf(String(field), fields(changedData(of.data, part))[field]);
  };
  const label = (id: string, next: string) => {
    const active = readFlow(session.state.get().server.active);
    let name = id;
    session.apply((now) => {
      const made = labelled(now, id, next, active);
      name = made.id;
      return made.text;
    });
    session.select({ kind: "nodes", ids: [name] });
  };
  const say = useText(words);
  const notes: Record<string, string> = { label: say.labelNote, key: say.keyNote };
  const forms = useText(formWords);
  const titles = forms as unknown as Record<string, string>;
  const titleOf = useNodeTitles(flow);
  const empty: Record<string, string> = {
    label: of.data.id === undefined ? say.asGuard : readable(text(of.data.id)),
    guard: say.always,
    read: say.readDefault,
    ask: say.askDefault,
    pick: say.pickDefault,
    entry: say.entryDefault,
    run: say.noFunction,
  };
  const placeholder = empty[name] ?? (NODES.includes(name) ? say.noNode : undefined);
  const wrong = useWrong(of, name);
  const about = { ...useFieldName(name), hint: schema.description ?? "", disabled, placeholder, wrong };
  const choices = choicesOf(name, schema, flow, of, palette.data?.actions.map((each) => each.name) ?? []);
  if (schema.type === "boolean")
    // Not a box to check: what is not written is the default, which may be either.
    return (
      <Choice
        {...about}
        value={text(value)}
        choices={["true", "false"]}
        titleOf={(each) => (each === "true" ? forms.yes : forms.no)}
        onChange={(next) => set(next ? next === "true" : undefined)}
      />
    );
  const isVerbatim = name === "read" && value === "verbatim" && flow.graphs.get("")?.entry === of.data.id;
  if (name === "run" && typeof (value ?? "") === "string")
    return <Choice {...about} value={text(value)} choices={choices} required={Boolean(value)} onChange={set} />;
  if (schema.enum || NODES.includes(name))
    return (
      <Choice
        {...about}
        value={text(value)}
        choices={choices}
        note={isVerbatim ? say.verbatimFirst : ""}
        titleOf={NODES.includes(name) ? titleOf : (each) => titles[ENUM_WORDS[`${name}.${each}`] ?? ""] ?? each}
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
  if (name === "guard" && "from" in of && typeof (value ?? "") === "string")
    return <GuardForm {...about} of={of} flow={flow} value={text(value)} onChange={set} />;
  if (EXPRESSIONS.includes(name) && typeof (value ?? "") === "string")
    return <ExpressionInput {...about} flow={flow} value={text(value)} onChange={(next) => set(next || undefined)} />;
  const isText = schema.type === "string" || (schema.anyOf?.some((each) => each.type === "string") ?? false);
  if (isText && (value === undefined || typeof value === "string"))
    return (
      <TextInput
        {...about}
        value={text(value)}
        long={LONG.includes(name)}
        mono={!LONG.includes(name) && !PLAIN.includes(name)}
        choices={choices}
        note={"id" in of && of.path.length > 0 ? notes[name] : undefined}
        insertions={LONG.includes(name) && "id" in of ? answersFor(flow, of) : []}
        onChange={(next) => {
          if (name === "ref" && of.data.type === "subgraph" && !flow.graphs.has(next) && flow.graphs.has(text(value)))
            session.apply((now) => renameSubgraph(now, text(value), next));
          else if (name === "label" && "id" in of && !layers) label(of.id, next);
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
  if (name === "schema") return <AnswerForm {...about} of={of} set={set} change={change} setField={setOf} />;
  const ofNode = "id" in of ? { of, flow, disabled, wrong, change } : null;
  if (name === "confirm" && ofNode) return <ConfirmForm {...ofNode} />;
  if (name === "map" && ofNode) return <MapForm {...ofNode} />;
  if (name === "retry" && ofNode) return <RetryForm {...ofNode} />;
  if (name === "with" && ofNode)
    return (
      <>
        <ParametersForm {...about} {...ofNode} path={["with"]} value={fields(value)} />
        {of.data.run === "record" && (
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
  // A draft that extends others sets whole values, which it writes as YAML.
  const Form = layers || of.path.length > 0 ? undefined : FLOW_FORMS[name];
  if (Form) return <Form {...about} flow={flow} />;
  return <YamlInput {...about} value={value} onChange={set} />;
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
  // The empty choice is the default.
  if (schema.enum) return schema.enum.map(String).filter((each) => DEFAULTS[name] !== each);
  if (NODES.includes(name)) return (flow.graphs.get(of.graph)?.nodes ?? []).map((each) => each.id);
  if (name === "run") return [...actions, ...READY_MADE];
  if (name === "ref") return [...flow.graphs.keys()].filter(Boolean);
  if (name === "options") return Object.keys((flow.data.state ?? {}) as Fields);
  return [];
}
