// The assurances of a draft: a conversation that violates one is played through the picture.

import { Download, Play, ShieldCheck, ShieldX, Square } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useText } from "../../app/language";
import { failed } from "../../app/toasts";
import { Button, IconButton } from "../../ui";
import { visible } from "../../ui/visible";
import { type AssuranceResult, editorApi } from "./api";
import { saveText } from "./files";
import type { Way } from "../../flow-canvas/nodes";
import { wayOfNodes } from "../../flow-canvas/way";
import { useSession, useSessionState } from "./useSession";
import { words } from "./words";

const STEP = 700; // ms at each node

export function Assurances({ onWay }: { onWay(way: Way | null): void }): ReactNode {
  const session = useSession();
  const { shown, text, checked } = useSessionState();
  const say = useText(words);
  const [found, setFound] = useState<{ text: string; items: AssuranceResult[] } | null>(null);
  const [busy, setBusy] = useState(false);
  const [playing, setPlaying] = useState<number | null>(null);
  const timer = useRef(0);
  const stop = () => {
    clearInterval(timer.current);
    setPlaying(null);
    onWay(null);
  };
  useEffect(() => () => clearInterval(timer.current), []);
  if (!Array.isArray(shown?.data.assurances)) return null;

  const examine = async () => {
    stop();
    setBusy(true);
    try {
      setFound({ text, items: (await editorApi.assurances(session.agent, text)).items });
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  const play = (index: number, { turns }: AssuranceResult) => {
    stop();
    setPlaying(index);
    const path = turns.flatMap((turn) => turn.path);
    let at = 0;
    const step = () => {
      const { shown: flow } = session.state.get();
      at += 1;
      if (flow) onWay(wayOfNodes(flow, path.slice(0, at)));
      if (at >= path.length) clearInterval(timer.current);
    };
    timer.current = window.setInterval(step, STEP);
    step();
  };
  return (
    <section className="assurances" aria-label={say.assurances}>
      <div className="editor-row">
        <h3 className="editor-grow">{say.assurances}</h3>
        <Button icon={ShieldCheck} busy={busy} disabled={!checked?.ok} onClick={() => void examine()}>
          {say.examine}
        </Button>
      </div>
      {found && found.text !== text && <p className="faint">{say.examinedBefore}</p>}
      <ul>
        {found?.items.map((each, index) => (
          <li key={index}>
            <div className="editor-row">
              {each.example ? (
                <ShieldX size={15} className="bad" aria-label={say.violated} />
              ) : (
                <ShieldCheck size={15} className="editor-good" aria-label={say.noExample} />
              )}
              <code className="editor-grow">{visible(each.text)}</code>
              {each.example && (
                <>
                  {playing === index ? (
                    <IconButton icon={Square} label={say.stop} onClick={stop} />
                  ) : (
                    <IconButton icon={Play} label={say.play} onClick={() => play(index, each)} />
                  )}
                  <IconButton
                    icon={Download}
                    label={say.download}
                    onClick={() => saveText("counterexample.conversation.yaml", each.conversation)}
                  />
                </>
              )}
            </div>
            <p className={each.example ? "bad editor-wrong" : "faint editor-wrong"}>
              {each.example ? visible(each.example) : say.noExample}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
