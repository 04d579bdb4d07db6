// A block of code; it gets its colours when the highlighter is loaded.

import "./Code.css";
import { type ReactNode, useEffect, useState } from "react";
import { texts, useText } from "../../app/language";
import { CopyButton } from "../../ui";
import { visible } from "../../ui/visible";

const words = texts({ code: ["Code", "Code"] });
type Highlight = (code: string, language: string) => ReactNode;
let highlighter: Highlight | null = null;

const LONGEST = 50_000; // characters: longer code would block the page

export function Code({ code, language }: { code: string; language: string }): ReactNode {
  const say = useText(words);
  const [highlight, setHighlight] = useState<Highlight | null>(() => highlighter);
  const wanted = language !== "" && code.length < LONGEST;
  useEffect(() => {
    if (!wanted || highlight) return;
    void import("./highlight").then(
      (module) => {
        highlighter = module.highlighted;
        setHighlight(() => module.highlighted);
      },
      () => undefined,
    );
  }, [wanted, highlight]);
  return (
    <div className="code">
      <div className="code-head">
        <span>{language || say.code}</span>
        <CopyButton text={code} />
      </div>
      <pre tabIndex={0}>
        <code>{wanted && highlight ? highlight(visible(code), language) : visible(code)}</code>
      </pre>
    </div>
  );
}
