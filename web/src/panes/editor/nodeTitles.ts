// The titles of nodes where a form names them.

import { useMemo } from "react";
import { useText } from "../../app/language";
import { EXIT, type Flow } from "../../flow-canvas/flow";
import { titlesOf } from "../../flow-canvas/titles";
import { words as pictureWords } from "../../flow-canvas/words";
import { visible } from "../../ui/visible";

/** The title of each node by its id, with the id where another node has the same title. */
export function useNodeTitles(flow: Flow): (id: string) => string {
  const { exit } = useText(pictureWords);
  return useMemo(() => {
    const titles = titlesOf(flow.nodes.values());
    return (id: string) => (id === EXIT ? exit : visible(titles(id)));
  }, [flow, exit]);
}
