// The results of the guards of a draft for sample answers, below the field of a guard.

import { CircleCheck, CircleDashed, CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { type FlowEdge, fields } from "../../flow-canvas/flow";
import { Disclosure } from "../../ui";
import { visible } from "../../ui/visible";
import type { GuardResults } from "./api";
import { YamlInput } from "./fields";
import { edgeKeys } from "../../flow-canvas/edges";
import { useGuards, useSamples } from "./samples";
import { useSessionState } from "./useSession";
import { words } from "./words";

type Result = GuardResults["guards"][string];

/** The results by the keys of the edges, with the sample answers that lead to a node. */
function useResults(target: string): Map<string, Result> | null {
  const { shown } = useSessionState();
  const found = useGuards(useSamples(target).answers);
  if (!shown || !found) return null;
  return new Map([...edgeKeys(shown)].flatMap(([id, key]) => (found[id] ? [[key, found[id]]] : [])));
}

/** The live value of the guard of an edge, and the sample answers, which can be changed. */
export function GuardValue({ edge }: { edge: FlowEdge }): ReactNode {
  const say = useText(words);
  const samples = useSamples(edge.to);
  const result = useResults(edge.to)?.get(edge.key);
  if (typeof edge.data.guard !== "string" || edge.data.guard === "else") return null;
  return (
    <div className="guard-value">
      {result && <Verdict result={result} />}
      <Disclosure summary={say.samples}>
        {() => (
          <YamlInput
            label={say.samples}
            hint={say.samplesWhat}
            value={samples.answers}
            disabled={false}
            onChange={(value) => samples.set(fields(value))}
          />
        )}
      </Disclosure>
    </div>
  );
}

function Verdict({ result }: { result: Result }): ReactNode {
  const say = useText(words);
  if (result.missing.length > 0)
    return (
      <p className="faint" role="status">
        <CircleHelp size={14} aria-hidden /> {say.guardMissing(visible(result.missing.join(", ")))}
      </p>
    );
  if (result.error)
    return (
      <p className="warn" role="status">
        <CircleHelp size={14} aria-hidden /> {visible(result.error)}
      </p>
    );
  return result.opens ? (
    <p className="editor-good" role="status">
      <CircleCheck size={14} aria-hidden /> {say.guardOpens}
    </p>
  ) : (
    <p className="faint" role="status">
      <CircleDashed size={14} aria-hidden /> {say.guardCloses}
    </p>
  );
}
