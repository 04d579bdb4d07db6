// The start page: the choice of an agent, with first messages to click. The thread is created with its first message.

import "./Start.css";
import { ArrowUp, CloudOff, FileUp, PanelLeft, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type Agent, api, isUnanswered } from "../../api";
import type { ShownAgent } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { fit } from "../../app/fit";
import { useText } from "../../app/language";
import { wordsOf } from "../../app/problems";
import { invalidate } from "../../app/resource";
import { go, hashOf, usePlace } from "../../app/router";
import { kept } from "../../app/storage";
import { failed } from "../../app/toasts";
import { Badge, Button, Disclosure, IconButton, SearchField, Skeleton } from "../../ui";
import { AgentTile } from "./agentLook";
import { beginThread } from "./beginning";
import { Composer, attachments } from "./Composer";
import { ModelChoice } from "./ModelChoice";
import { useDrop } from "./following";
import type { Given } from "./sent";
import { words } from "./words";

const CHOSEN = "graphwright.agent";
const MODEL = "graphwright.model";

interface StartProps {
  agents: ShownAgent[] | undefined;
  onToggleList(): void;
}

export function Start({ agents, onToggleList }: StartProps): ReactNode {
  const say = useText(words);
  const [wanted, setWanted] = useState(() => kept.get(CHOSEN));
  const [model, setModel] = useState(() => kept.get(MODEL) ?? "");
  const box = useRef<HTMLTextAreaElement>(null);
  const start = useRef<HTMLButtonElement>(null);
  const agent = agents?.find((each) => each.name === wanted) ?? agents?.[0];
  const [beginning, setBeginning] = useState(false);
  const begun = useRef(false);
  const [isUnsent, setUnsent] = useState(false);
  const begin = async (message: string | null, files: Given[]) => {
    // A second click must not begin a second conversation.
    if (!agent || begun.current) return false;
    begun.current = true;
    setBeginning(true);
    setUnsent(false);
    try {
      const { thread } = await api.createThread(agent.name, message, model ? { model } : {});
      await beginThread(thread, message, files);
      invalidate("threads?");
      go(hashOf("chat", [thread]));
      return true;
    } catch (error) {
      if (isUnanswered(error)) setUnsent(true);
      else failed(error);
      begun.current = false;
      setBeginning(false);
      return false;
    }
  };
  const write = (text: string) => {
    const area = box.current;
    if (!area) return;
    area.focus();
    area.setRangeText(text, 0, area.value.length, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const take = (example: string) => {
    // Files are attached to the first message, so it is not sent yet.
    if (!agent?.takes_files || attachments.get().some((each) => each.id)) return void begin(example, []);
    write(example);
  };
  // Other panes lead here with an agent, and with the beginning of a message.
  const { query } = usePlace();
  const [asked, draft] = [query.get("agent"), query.get("draft")];
  useEffect(() => {
    if (asked) {
      kept.set(CHOSEN, asked);
      setWanted(asked);
    }
    if (draft) write(draft);
    if (asked || draft) go(hashOf("chat"), { replace: true });
  }, [asked, draft]);
  useCommands([
    { id: "chat.write", group: say.group, title: say.focus, keys: "i", run: () => box.current?.focus() },
    {
      id: "chat.start",
      group: say.group,
      title: say.start,
      keys: "s",
      run: () => void begin(null, []),
      button: () => start.current,
    },
  ]);
  return (
    <section className="conversation" aria-label={say.newThread} {...useDrop(agent?.takes_files ?? false)}>
      <header className="pane-bar">
        <IconButton icon={PanelLeft} label={say.toggleList} keys="[" onClick={onToggleList} />
        <h1 className="cut">{say.newThread}</h1>
      </header>
      <div className="conversation-scroll">
        <div className="conversation-column start">
          <h2>{say.pickTitle}</h2>
          <p className="muted">{say.pickText}</p>
          {agents ? (
            <Choice
              agents={agents}
              chosen={agent?.name ?? ""}
              onChoose={(name) => {
                kept.set(CHOSEN, name);
                setWanted(name);
                box.current?.focus();
              }}
            />
          ) : (
            <Waiting />
          )}
          {agent && (
            <div className="start-about" aria-live="polite">
              {!agent.ready && agent.problems.map((each, index) => <NotReady key={index} of={each} />)}
              {agent.examples.length > 0 && (
                <ul className="examples" aria-label={say.examples}>
                  {agent.examples.map((each) => (
                    <li key={each}>
                      <button type="button" className="example" disabled={beginning} onClick={() => take(each)}>
                        <span>{each}</span>
                        <ArrowUp size={14} aria-hidden />
                      </button>
                    </li>
                  ))}
                </ul>
              )}
              <div className="start-facts">
                <Button ref={start} look="quiet" busy={beginning} onClick={() => void begin(null, [])} keys="s">
                  {say.start}
                </Button>
                {agent.takes_files && (
                  <Badge>
                    <FileUp size={11} aria-hidden /> {say.takesFiles}
                  </Badge>
                )}
                {agent.score && <Badge>{say.score(agent.score.right, agent.score.cases)}</Badge>}
              </div>
              {agent.description && (
                <Disclosure key={agent.name} className="start-more" summary={say.about(agent.title)}>
                  {() => <p>{agent.description}</p>}
                </Disclosure>
              )}
            </div>
          )}
        </div>
      </div>
      <footer className="conversation-foot">
        {isUnsent && (
          <p className="callout callout-warn" role="alert">
            <CloudOff size={15} aria-hidden />
            <span>{say.notSent}</span>
          </p>
        )}
        <Composer
          thread=""
          box={box}
          placeholder={agent ? say.write(agent.title) : ""}
          takesFiles={agent?.takes_files ?? false}
          busy={false}
          onSend={begin}
          onStop={() => undefined}
        >
          <ModelChoice
            model={model}
            onChoose={(name) => {
              kept.set(MODEL, name || null);
              setModel(name);
            }}
          />
        </Composer>
      </footer>
    </section>
  );
}

interface ChoiceProps {
  agents: ShownAgent[];
  chosen: string;
  onChoose(name: string): void;
}

const FIRST = 6; // agents that are shown at first

/** The agents, each with its icon and a line about it, and with its name if several have the same title. */
function Choice({ agents, chosen, onChoose }: ChoiceProps): ReactNode {
  const say = useText(words);
  const [isAll, setAll] = useState(agents.length <= FIRST + 1);
  const [letters, setLetters] = useState("");
  const hasNamesake = ({ name, title }: ShownAgent) =>
    agents.some((other) => other.name !== name && other.title === title);
  const first = agents.slice(0, FIRST);
  const last = agents.find((each) => each.name === chosen);
  // The chosen one is always among them.
  const few = last && !first.includes(last) ? [...first.slice(0, -1), last] : first;
  const all = agents.filter((each) => fit(letters, `${each.title} ${each.name} ${each.about}`) >= 0);
  const shown = isAll ? (letters.trim() ? all : agents) : few;
  return (
    <>
      {isAll && agents.length > FIRST + 1 && (
        <SearchField label={say.findAgent} value={letters} onChange={setLetters} />
      )}
      <div className="agents" role="radiogroup" aria-label={say.pickTitle}>
        {shown.map((agent) => (
          <label key={agent.name} className="agent-card">
            <input
              type="radio"
              name="agent"
              className="visually-hidden"
              checked={agent.name === chosen}
              onChange={() => onChoose(agent.name)}
            />
            <AgentTile name={agent.name} agent={agent} size={34} />
            <span className="agent-text">
              <span className="agent-title">
                {agent.title} {hasNamesake(agent) && <code>{agent.name}</code>}
              </span>
              <span className="agent-about">{agent.about || agent.description || say.noAbout}</span>
              {!agent.ready && (
                <Badge tone="warn">
                  <TriangleAlert size={11} aria-hidden /> {say.notReady}
                </Badge>
              )}
            </span>
          </label>
        ))}
      </div>
      {shown.length === 0 && <p className="muted">{say.noAgentFits}</p>}
      {!isAll && (
        <Button look="quiet" className="agents-all" onClick={() => setAll(true)}>
          {say.showAgents(agents.length)}
        </Button>
      )}
    </>
  );
}

/** The place of the agents while they load. */
function Waiting(): ReactNode {
  return (
    <div className="agents">
      {[0, 1, 2, 3, 4, 5].map((each) => (
        <div key={each} className="agent-card">
          <span className="agent-tile" style={{ width: 34, height: 34 }} />
          <Skeleton lines={2} />
        </div>
      ))}
    </div>
  );
}

function NotReady({ of: each }: { of: Agent["problems"][number] }): ReactNode {
  const { text, more } = wordsOf({ ...each, detail: each.message });
  return (
    <p className="callout callout-warn">
      <TriangleAlert size={15} aria-hidden />
      <span>{more ? `${text} ${more}` : text}</span>
    </p>
  );
}
