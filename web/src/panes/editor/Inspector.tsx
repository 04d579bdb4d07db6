// The properties of the chosen node or edge, as a form made from the JSON Schema of flow documents.

import { ArrowRight, CopyPlus, MousePointerClick, Trash2, Workflow } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { Empty, IconButton } from "../../ui";
import { visible } from "../../ui/visible";
import { editorApi } from "./api";
import type { FieldSchema } from "./Field";
import { FormFields } from "./FormFields";
import { Choice, TextInput } from "./fields";
import { IconChoice } from "./IconChoice";
import { GuardValue } from "./Guards";
import { connect, renameNode } from "./model/commands";
import { EXIT, type Flow, type FlowNode } from "../../flow-canvas/flow";
import { readFlow } from "./model/flow";
import { useNodeTitles } from "./nodeTitles";
import { renamed } from "./model/naming";
import { documentPart, ownPart } from "./model/layers";
import { PartProblems } from "./Problems";
import { SpokenLanguage } from "./SpokenLanguage";
import { useTools } from "./tools";
import { useSession, useSessionState } from "./useSession";
import { kindWords } from "../../flow-canvas/words";
import { words } from "./words";
import { ICONS, kindOf } from "../../flow-canvas/nodes";
import { titleOf } from "../../flow-canvas/titles";

export function Inspector(): ReactNode {
  const { shown } = useSessionState();
  return shown && <Properties flow={shown} />;
}

function Properties({ flow }: { flow: Flow }): ReactNode {
  const tools = useTools();
  const nodeTitle = useNodeTitles(flow);
  const session = useSession();
  const { flow: own, current, selection, editing } = useSessionState();
  const say = useText(words);
  const schema = useResource("flows/schema", editorApi.schema);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const first = editing ? form.current?.querySelector<HTMLElement>("input, textarea, select") : null;
    if (!first) return;
    first.focus();
    if (first instanceof HTMLInputElement) first.select();
    session.edited();
  }, [session, editing, schema.data]);
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
        ref={form}
        className="inspector"
        key={node.path.join("/")} // It keeps the focus when the node gets another id.
        onSubmit={(event) => event.preventDefault()}
        aria-label={say.properties}
      >
        <Heading node={node} disabled={!current || !session.mayEdit} />
        <FormFields of={node} schemas={fieldsOf(name)} flow={flow}>
          <Identity node={node} readOnly={!current || !own || !ownPart(own, node)} />
        </FormFields>
        <PartProblems of={node} />
        <Ways node={node} flow={flow} disabled={!current || !session.mayEdit} />
      </form>
    );
  }
  if (edge)
    return (
      <form
        ref={form}
        className="inspector"
        key={edge.path.join("/")}
        onSubmit={(event) => event.preventDefault()}
        aria-label={say.properties}
      >
        <div className="inspector-head">
          <ArrowRight size={16} aria-hidden />
          <h3>{say.edge(nodeTitle(edge.from), nodeTitle(edge.to))}</h3>
          <span className="faint">{say.edgeKind}</span>
          <IconButton
            icon={Trash2}
            label={say.remove}
            keys="delete"
            onClick={tools.remove}
            disabled={!current || !session.mayEdit}
          />
        </div>
        <FormFields of={edge} schemas={fieldsOf("Edge")} flow={flow} />
        <GuardValue edge={edge} />
        <PartProblems of={edge} />
      </form>
    );
  const many = selection?.kind === "nodes" && selection.ids.length > 1;
  const about = (
    <Empty icon={MousePointerClick} title={many ? say.manyChosen(selection.ids.length) : say.noneChosen}>
      {!many && <p>{say.noneChosenWhat}</p>}
    </Empty>
  );
  if (many) return about;
  return (
    <>
      <form className="inspector" onSubmit={(event) => event.preventDefault()} aria-label={say.properties}>
        <div className="inspector-head">
          <Workflow size={16} aria-hidden />
          <h3 className="cut">
            {visible(typeof flow.data.title === "string" && flow.data.title ? flow.data.title : session.agent)}
          </h3>
          <span className="faint">{say.flow}</span>
        </div>
        <FormFields of={documentPart(flow)} schemas={fieldsOf("Document")} flow={flow}>
          <IconChoice disabled={!current || !session.mayEdit} />
          <SpokenLanguage flow={flow} disabled={!current || !session.mayEdit} />
        </FormFields>
        <p className="faint">{say.noneChosenWhat}</p>
      </form>
    </>
  );
}

function Heading({ node, disabled }: { node: FlowNode; disabled: boolean }): ReactNode {
  const say = useText(words);
  const tools = useTools();
  const kinds = useText(kindWords);
  const kind = kindOf(node.type);
  const Icon = kind ? ICONS[kind] : null;
  return (
    <div className={`inspector-head flow-${kind ?? "unknown"}`}>
      {Icon && <Icon size={16} aria-hidden />}
      <h3 className="cut">{visible(titleOf(node))}</h3>
      <span className="faint">{kind ? kinds[kind] : node.type}</span>
      <IconButton icon={CopyPlus} label={say.duplicate} keys="mod+d" onClick={tools.duplicate} disabled={disabled} />
      <IconButton icon={Trash2} label={say.remove} keys="delete" onClick={tools.remove} disabled={disabled} />
    </div>
  );
}

function Identity({ node, readOnly }: { node: FlowNode; readOnly: boolean }): ReactNode {
  const session = useSession();
  const { layers } = useSessionState();
  const say = useText(words);
  const rename = (name: string) => {
    const active = readFlow(session.state.get().server.active);
    session.apply((text) => (layers ? renameNode(text, node.id, name, active) : renamed(text, node.id, name, active)));
    session.select({ kind: "nodes", ids: [name] });
  };
  return (
    <TextInput
      label={say.rename}
      name="id"
      note={say.idNote}
      value={node.id}
      onChange={rename}
      mono
      disabled={readOnly || !session.mayEdit}
    />
  );
}

/** The edges that leave a node, and a choice that adds one: what dragging does, for the keyboard. */
function Ways({ node, flow, disabled }: { node: FlowNode; flow: Flow; disabled: boolean }): ReactNode {
  const session = useSession();
  const say = useText(words);
  const nodeTitle = useNodeTitles(flow);
  if (node.type === "terminal") return null;
  const graph = flow.graphs.get(node.graph);
  const edges = graph?.edges.filter((edge) => edge.from === node.id) ?? [];
  const nodes = graph?.nodes.map((each) => each.id) ?? [];
  const targets = node.graph ? [...nodes, EXIT] : nodes;
  const add = (to: string) => session.apply((text) => connect(text, node.graph, node.id, to));
  return (
    <div className="inspector-ways">
      <h4>{say.edges}</h4>
      <ul aria-label={say.edges}>
        {edges.map((edge) => (
          <li key={edge.key}>
            <button type="button" onClick={() => session.select({ kind: "edge", key: edge.key })}>
              <ArrowRight size={14} aria-hidden />
              <span className="cut">{nodeTitle(edge.to)}</span>
              <code className="faint cut">
                {typeof edge.data.guard === "string" ? visible(edge.data.guard) : say.always}
              </code>
            </button>
          </li>
        ))}
      </ul>
      <Choice
        label={say.connectTo}
        placeholder={say.chooseNode}
        value=""
        choices={targets}
        titleOf={nodeTitle}
        disabled={disabled}
        onChange={(to) => to && add(to)}
      />
    </div>
  );
}
