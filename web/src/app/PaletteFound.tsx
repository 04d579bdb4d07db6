// The things of the panes that the palette finds: nodes of the graph and of flows, experiments.

import { Command as List } from "cmdk";
import { type LucideIcon, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { usePanes } from "../panes";
import { type Found, findIn, hasFinder } from "../panes/found";
import { Marked } from "../ui";
import { findFlowNodes } from "./flowNodes";
import { texts, useText } from "./language";
import { useKept, useResource } from "./resource";

const words = texts({ nodes: ["Nodes of flows", "Knoten von Abläufen"] });

const MOST = 5; // found things of a pane
const SHORTEST = 2; // characters that are searched for

interface Props {
  wanted: string;
  onOpen(hash: string): void;
}

export function PaletteFound({ wanted, onOpen }: Props): ReactNode {
  const say = useText(words);
  const panes = usePanes();
  if (wanted.length < SHORTEST) return null;
  return (
    <>
      {panes.some((each) => each.name === "editor") && (
        <Group name={say.nodes} icon={Workflow} find={findFlowNodes} id="flow-nodes" wanted={wanted} onOpen={onOpen} />
      )}
      {panes
        .filter((each) => hasFinder(each.name))
        .map((each) => (
          <Group
            key={each.name}
            name={each.title}
            icon={each.icon}
            find={(text, most) => findIn(each.name, text, most)}
            id={each.name}
            wanted={wanted}
            onOpen={onOpen}
          />
        ))}
    </>
  );
}

interface GroupProps extends Props {
  id: string;
  name: string;
  icon: LucideIcon;
  find(words: string, most: number): Promise<Found[]>;
}

/** The found things of a pane; none while a service does not answer. */
function Group({ id, name, icon: Icon, find, wanted, onOpen }: GroupProps): ReactNode {
  const found = useResource(`find/${id}/${wanted}`, () => find(wanted, MOST));
  const items = useKept(found.data) ?? [];
  if (items.length === 0 || found.error !== undefined) return null;
  return (
    <List.Group heading={name}>
      {items.map((each) => (
        <List.Item key={each.id} value={`${id} ${each.id}`} onSelect={() => onOpen(each.hash)}>
          <Icon size={15} aria-hidden />
          <span className="palette-title">
            <Marked text={each.title} letters={wanted} />
          </span>
          <span className="palette-note">{each.note}</span>
        </List.Item>
      ))}
    </List.Group>
  );
}
