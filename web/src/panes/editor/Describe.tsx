// Describe a change: a person writes what should change, a model proposes it, and the difference is shown before it is taken.

import "./describe.css";
import { ArrowUpLeft, Columns2, LoaderCircle, Square, TriangleAlert, WandSparkles, X } from "lucide-react";
import { type ReactNode, useId, useRef, useState } from "react";
import { useText } from "../../app/language";
import { told } from "../../app/toasts";
import { Badge, Button, Dialog, Disclosure, Failure, IconButton, Keys } from "../../ui";
import { visible } from "../../ui/visible";
import { Meaning } from "./Changes";
import { Compare, useCompared } from "./Compare";
import { Conversations } from "./Conversations";
import { describeWords } from "./describeWords";
import type { Describing, Proposal, Round } from "./describing";
import { useHeadline } from "./headlines";
import { WithCode } from "./Problems";
import { useSession, useSessionState } from "./useSession";
import { titleOf } from "../../flow-canvas/titles";
import { words } from "./words";

export function Describe({ describing }: { describing: Describing }): ReactNode {
  const session = useSession();
  const { current, selection, shown } = useSessionState();
  const say = useText(describeWords);
  const { description, earlier, rounds, progress, made, busy, error } = describing;
  const hindrance = !session.mayEdit ? say.mayNot : current ? "" : say.unreadable;
  const ready = !hindrance && !busy && description.trim() !== "";
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
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
        else field.current?.focus();
      }}
    >
      <label htmlFor={id}>{say.what}</label>
      <div className="describe-box">
        <textarea
          id={id}
          ref={field}
          rows={3}
          value={description}
          placeholder={say.example}
          disabled={!session.mayEdit}
          aria-describedby={`${id}-how`}
          onChange={(event) => describing.write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          }}
        />
        <div className="describe-send">
          <Keys keys="mod+enter" />
          {busy ? (
            <Button icon={Square} onClick={describing.stop}>
              {say.stop}
            </Button>
          ) : (
            <Button icon={WandSparkles} look={made ? "plain" : "primary"} disabled={!ready} type="submit">
              {made ? say.again : say.propose}
            </Button>
          )}
        </div>
      </div>
      <p id={`${id}-how`} className={hindrance ? "describe-hindrance" : "faint"}>
        {hindrance || say.how}
      </p>
      {!busy && !made && description.trim() === "" && session.mayEdit && (
        <>
          <Beginnings name={say.examples} texts={examples} onBegin={begin} />
          {earlier.length > 0 && <Beginnings name={say.earlier} texts={earlier} onBegin={begin} />}
        </>
      )}
      {busy && (
        <ol className="describe-rounds" aria-live="polite">
          {rounds.map((each) => (
            <RoundLine key={each.round} round={each} />
          ))}
          <li className="describe-now">
            <LoaderCircle className="spin" size={14} aria-hidden />
            {progress ? say[progress.step](progress) : say.thinking}
          </li>
        </ol>
      )}
      {error !== undefined && (
        <div className="describe-failed">
          <p className="muted">{say.nothing}</p>
          <Failure error={error} {...(ready ? { retry: describing.propose } : {})} />
        </div>
      )}
      {made && <Made proposal={made.proposal} base={made.base} rounds={rounds} dismiss={describing.dismiss} />}
    </form>
  );
}

interface BeginningsProps {
  name: string;
  texts: readonly string[];
  onBegin(text: string): void;
}

/** Descriptions to begin with. */
function Beginnings({ name, texts, onBegin }: BeginningsProps): ReactNode {
  return (
    <div className="describe-examples" role="group" aria-label={name}>
      <h3>{name}</h3>
      {texts.map((each) => (
        <button key={each} type="button" onClick={() => onBegin(each)}>
          <span>{visible(each.trim())}</span>
          <ArrowUpLeft size={14} aria-hidden />
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
  return <li>{parts.join(" · ")}</li>;
}

const TONES = { proposed: "good", unproven: "warn", invalid: "bad" } as const;

interface MadeProps {
  proposal: Proposal;
  base: string;
  rounds: readonly Round[];
  dismiss(): void;
}

function Made({ proposal, base, rounds, dismiss }: MadeProps): ReactNode {
  const session = useSession();
  const { text } = useSessionState();
  const say = useText(describeWords);
  const editor = useText(words);
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
  if (status === "cannot")
    return (
      <section className="describe-made" aria-label={say.cannot}>
        <h3>{say.cannot}</h3>
        <p>{visible(proposal.cannot)}</p>
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
    <div className="describe-acts">
      <Button look="primary" disabled={stale || status === "invalid" || proposal.text === base} onClick={take}>
        {say.take}
      </Button>
      {!comparing && (
        <Button icon={Columns2} onClick={() => setComparing(true)}>
          {say.compare}
        </Button>
      )}
    </div>
  );
  return (
    <section className="describe-made" aria-label={say.proposal}>
      <header>
        <h3>{say.proposal}</h3>
        <Badge tone={TONES[status]}>{say[status]}</Badge>
        <IconButton icon={X} label={say.dismiss} onClick={dismiss} />
      </header>
      <p>{visible(proposal.summary)}</p>
      {proposal.difference.length > 0 && <Difference proposal={proposal} base={base} />}
      <Cautions proposal={proposal} />
      <Conversations proposal={proposal} />
      {rounds.length > 0 && (
        <Disclosure className="describe-past" summary={say.rounds(rounds.length)}>
          {() => (
            <ol className="describe-rounds">
              {rounds.map((each) => (
                <RoundLine key={each.round} round={each} />
              ))}
            </ol>
          )}
        </Disclosure>
      )}
      <footer>
        {stale && <p className="warn">{say.changed}</p>}
        {buttons}
      </footer>
      {comparing && (
        <Dialog title={say.proposal} onClose={() => setComparing(false)} className="compare-dialog">
          <Compare before={base} after={proposal.text} titles={[editor.draft, say.proposal]}>
            {buttons}
          </Compare>
        </Dialog>
      )}
    </section>
  );
}

function Difference({ proposal, base }: Pick<MadeProps, "proposal" | "base">): ReactNode {
  const { agent } = useSession();
  const { data } = useCompared(agent, base, proposal.text);
  return <Meaning lines={proposal.difference} compared={data} />;
}

/** The cautions of a proposal: its needs besides the document, refused commands, and findings with their lines. */
function Cautions({ proposal }: { proposal: Proposal }): ReactNode {
  const say = useText(describeWords);
  const headline = useHeadline();
  const told = [proposal.cannot, ...proposal.demands, ...proposal.cautions, ...proposal.refused].filter(Boolean);
  const found = proposal.diagnostics.filter((each) => each.severity !== "info");
  if (told.length + found.length === 0) return null;
  return (
    <div className="callout callout-warn describe-notes">
      <TriangleAlert size={15} aria-hidden />
      <div>
        <strong>{say.caution}</strong>
        <ul>
          {told.map((each, index) => (
            <li key={index}>
              <WithCode text={each} />
            </li>
          ))}
          {found.map((each, index) => (
            <li key={`found ${index}`}>
              {headline(each) && <WithCode text={headline(each)} />}
              <span lang="en" className={headline(each) ? "describe-detail" : undefined}>
                <WithCode text={[each.message, each.hint].filter(Boolean).join(" ")} />
              </span>{" "}
              <span className="describe-place">
                {say.line(each.line)} · {each.code}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
