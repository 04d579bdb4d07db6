// The nodes of the flows that the palette finds.

import { api } from "../api";
import type { Found } from "../panes/found";
import { readable } from "./readable";
import { remembered } from "./remembered";
import { hashOf } from "./router";

const allFlows = remembered(async () => {
  const { items } = await api.agents();
  // The flow of one agent may not compile.
  return Promise.all(items.map((each) => api.agent(each.name).catch(() => null)));
});

export async function findFlowNodes(words: string, most: number): Promise<Found[]> {
  const flows = await allFlows();
  const wanted = words.toLocaleLowerCase();
  return flows
    .flatMap((agent) =>
      (agent?.flow_nodes ?? []).map(({ id, label }) => ({
        id: `${agent!.name} ${id}`,
        title: label || readable(id),
        note: agent!.title,
        hash: hashOf("editor", [agent!.name], { node: id }),
        words: `${label || readable(id)} ${id}`.toLocaleLowerCase(),
      })),
    )
    .filter((each) => each.words.includes(wanted))
    .slice(0, most);
}
