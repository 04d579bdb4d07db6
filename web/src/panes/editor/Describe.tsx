// Describe a change: a person writes what should change, a model proposes it, and the difference is shown before it is taken.

import "./describe.css";
import { CircleCheck, CircleX, Columns2, Square, WandSparkles } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useText } from "../../app/language";
import { told } from "../../app/toasts";
import { Badge, Button, CopyButton, Dialog, Disclosure, Failure, Keys } from "../../ui";
import { visible } from "../../ui/visible";
import { Meaning } from "./Changes";
import { Compare } from "./Compare";
import { describeWords } from "./describeWords";
import type { Describing, Proposal, Round } from "./describing";
import { type Headline, textsOf, useHeadline } from "./headlines";
import { useSession, useSessionState } from "./useSession";
import { titleOf } from "../../flow-canvas/titles";
import { words } from "./words";

export function Describe({ describing }: { describing: Describing }): ReactNode {
  const session = useSession();
  const { current, selection, shown } = useSessionState();
  const say = useText(describeWords);
  const { description, earlier, rounds, progress, made, busy, error } = describing;
  const ready = session.mayEdit && current && !busy && description.trim() !== "";
  const field = useRef<HTMLTextAreaElement>(null);
  const node = selection?.kind === "nodes" && selection.ids.length === 1 ? shown?.nodes.get(selection.ids[0]!) : null;
  const examples = [...(node ? [say.about(visible(titleOf(node)))] : []), say.askFirst, say.confirmFirst, say.handOver];
  const begin = (text: string) => {
    describing.write(text);
    field.current?.focus();
  };
  return (
    <form
      className="describe"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) describing.propose();
      }}
    >
      <label className="field">
        <span>{say.what}</span>
        <textarea
          ref={field}
          rows={4}
          value={description}
          placeholder={say.example}
          disabled={!session.mayEdit}
          onChange={(event) => describing.write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      {!busy && !made && description.trim() === "" && session.mayEdit && (
        <>
          <Beginnings name={say.examples} texts={examples} onBegin={begin} />
          {earlier.length > 0 && <Beginnings name={say.earlier} texts={earlier} onBegin={begin} isNamed />}
        </>
      )}
      <p className="faint">{say.how}</p>
      <div className="editor-row">
        {busy ? (
          <Button icon={Square} onClick={describing.stop}>
            {say.stop}
          </Button>
        ) : (
          <Button icon={WandSparkles} look={made ? "plain" : "primary"} disabled={!ready} type="submit">
            {made ? say.again : say.propose}
          </Button>
        )}
        <Keys keys="mod+enter" />
      </div>
      <ol className="describe-rounds" aria-live="polite">
        {rounds.map((each) => (
          <RoundLine key={each.round} round={each} />
        ))}
        {busy && <li className="muted">{progress ? say[progress.step](progress) : say.thinking}</li>}
      </ol>
      {error !== undefined && (
        <>
          <p>{say.nothing}</p>
          <Failure error={error} {...(ready ? { retry: describing.propose } : {})} />
        </>
      )}
      {made && <Made proposal={made.proposal} base={made.base} dismiss={describing.dismiss} />}
    </form>
  );
}

interface BeginningsProps {
  name: string;
  texts: readonly string[];
  /** The name is shown. */
  isNamed?: boolean;
  onBegin(text: string): void;
}

/** Descriptions to begin with. */
function Beginnings({ name, texts, isNamed = false, onBegin }: BeginningsProps): ReactNode {
  return (
    <div className="describe-examples" role="group" aria-label={name}>
      {isNamed && <h3>{name}</h3>}
      {texts.map((each) => (
        <button key={each} type="button" onClick={() => onBegin(each)}>
          {visible(each.trim())}
        </button>
      ))}
    </div>
  );
}

function RoundLine({ round }: { round: Round }): ReactNode {
  const say = useText(describeWords);
  const of = round.passed + round.failed;
  const parts = [
    say.round(round.round, round.commands),
    ...(round.refused.length > 0 ? [say.refused(round.refused.length)] : []),
    ...(round.errors > 0 ? [say.errors(round.errors)] : []),
    ...(of > 0 ? [say.passed(round.passed, of)] : []),
  ];
  return <li className="muted">{parts.join(" · ")}</li>;
}

const TONES = { proposed: "good", unproven: "warn", invalid: "bad" } as const;

function Made({ proposal, base, dismiss }: { proposal: Proposal; base: string; dismiss: () => void }): ReactNode {
  const session = useSession();
  const { text } = useSessionState();
  const say = useText(describeWords);
  const editor = useText(words);
  const headline = useHeadline();
  const [comparing, setComparing] = useState(false);
  const { status } = proposal;
  if (status === "question")
    return (
      <section className="describe-made" aria-label={say.question}>
        <h3>{say.question}</h3>
        <p>{visible(proposal.question)}</p>
        <p className="faint">{say.answer}</p>
      </section>
    );
  const stale = text !== base;
  const take = () => {
    if (session.state.get().text !== base) return;
    session.replace(proposal.text);
    setComparing(false);
    dismiss();
    told(say.taken);
  };
  const buttons = (
    <div className="editor-row">
      <Button look="primary" disabled={stale || status === "invalid" || proposal.text === base} onClick={take}>
        {say.take}
      </Button>
      <Button look="quiet" onClick={dismiss}>
        {say.dismiss}
      </Button>
      {!comparing && (
        <Button look="quiet" icon={Columns2} onClick={() => setComparing(true)}>
          {say.compare}
        </Button>
      )}
    </div>
  );
  return (
    <section className="describe-made" aria-label={say.proposal}>
      {status !== "cannot" && (
        <p>
          <Badge tone={TONES[status]}>{say[status]}</Badge> {visible(proposal.summary)}
        </p>
      )}
      {proposal.cannot && <Notes title={say.cannot} lines={[proposal.cannot]} />}
      {status !== "cannot" && (
        <>
          <Notes
            title={say.caution}
            lines={[...proposal.cautions, ...proposal.refused, ...findings(proposal, headline)]}
          />
          {stale && <p className="warn">{say.changed}</p>}
          {buttons}
          {proposal.difference.length > 0 && (
            <>
              <h3>{say.meaning}</h3>
              <Meaning lines={proposal.difference} />
            </>
          )}
          <Conversations proposal={proposal} />
          {comparing && (
            <Dialog title={say.proposal} onClose={() => setComparing(false)} className="compare-dialog">
              <Compare before={base} after={proposal.text} titles={[editor.draft, say.proposal]}>
                {buttons}
              </Compare>
            </Dialog>
          )}
        </>
      )}
    </section>
  );
}

const findings = (proposal: Proposal, headline: Headline): string[] =>
  proposal.diagnostics
    .filter((each) => each.severity !== "info")
    .map((each) => `${each.line}: ${each.code} ${textsOf(each, headline).join(" ")}`);

function Notes({ title, lines }: { title: string; lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return null;
  return (
    <div className="describe-notes">
      <strong>{title}</strong>
      <ul>
        {lines.map((each, index) => (
          <li key={index}>{visible(each)}</li>
        ))}
      </ul>
    </div>
  );
}

function Conversations({ proposal }: { proposal: Proposal }): ReactNode {
  const say = useText(describeWords);
  const shown = proposal.conversations;
  const files = Object.keys(proposal.files);
  if (shown.length === 0 && files.length === 0) return null;
  return (
    <>
      <h3>{say.conversations}</h3>
      <ul className="describe-conversations">
        {shown.map((each) => (
          <li key={each.file}>
            <span className="editor-row">
              {each.passed ? (
                <CircleCheck size={15} className="editor-good" aria-hidden />
              ) : (
                <CircleX size={15} className="bad" aria-hidden />
              )}
              <span className="cut editor-grow">{visible(nameOf(each.file))}</span>
              {each.file in proposal.files && <Badge tone="accent">{say.newFile}</Badge>}
            </span>
            {each.problems.map((problem, index) => (
              <p key={index} className="bad editor-wrong">
                {visible(problem)}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {files.length > 0 && <p className="faint">{say.files}</p>}
      {files.map((file) => (
        <Disclosure key={file} summary={visible(file)}>
          {() => (
            <div className="describe-file">
              <CopyButton text={proposal.files[file] ?? ""} />
              <pre>{visible(proposal.files[file] ?? "")}</pre>
            </div>
          )}
        </Disclosure>
      ))}
    </>
  );
}

const nameOf = (file: string): string => file.replace(/^tests\//, "").replace(/\.conversation\.yaml$/, "");
