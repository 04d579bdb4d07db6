// The head of a conversation: its title and its agent, the panes next to it, and a menu of all actions.

import { Ellipsis, GitBranch, PanelLeft } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Agent, api } from "../../api";
import { usePanes } from "..";
import { useMayWrite } from "../../app/access";
import type { Command } from "../../app/commands";
import { moneyText, numberText, useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { go, hashOf, usePlace } from "../../app/router";
import { failed } from "../../app/toasts";
import { IconButton, Menu, MenuItem, MenuLine } from "../../ui";
import { AgentTile } from "./agentLook";
import { withoutMarks } from "../../ui/plain";
import type { Conversation, Shown } from "./session";
import { StatusSign } from "./StatusSign";
import { ActionItems } from "./threadActions";
import { words } from "./words";

interface Props {
  session: Conversation;
  shown: Shown;
  agent: Agent | undefined;
  actions: Omit<Command, "group">[];
  onToggleList(): void;
}

export function Head({ session, shown, agent, actions, onToggleList }: Props): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const place = usePlace();
  const panes = usePanes().filter((each) => each.ofThread && each.name !== "chat");
  const { thread, live } = shown;
  const busy = live !== null && live.ending === null;
  const beside = place.query.get("beside");
  const toggle = (name: string) => go(hashOf("chat", [session.id], beside === name ? {} : { beside: name }));
  const pin = actions.find((each) => each.id === "chat.pin");
  return (
    <header className="pane-bar">
      <IconButton icon={PanelLeft} label={say.toggleList} keys="[" onClick={onToggleList} />
      {thread && <AgentTile name={thread.agent} agent={agent} size={24} />}
      <div className="head-title">
        <h1 className="cut">{thread ? withoutMarks(thread.title || agent?.title || say.untitled) : ""}</h1>
        {agent && thread?.title && <span className="head-agent cut">{agent.title}</span>}
        {thread && (
          <StatusSign
            of={busy ? { ...thread, status: "running" } : thread}
            stopped={live?.ending === "run_cancelled"}
          />
        )}
      </div>
      {thread?.branch_of && (
        <a
          className="icon-button head-wide"
          href={hashOf("chat", [thread.branch_of.thread], { turn: String(thread.branch_of.turn) })}
          aria-label={say.toSource}
          data-tip={say.toSource}
        >
          <GitBranch size={16} aria-hidden />
        </a>
      )}
      {panes.map((each) => (
        <IconButton
          key={each.name}
          icon={each.icon}
          label={each.title}
          className="head-wide"
          {...(each.key ? { keys: `b ${each.key}` } : {})}
          aria-pressed={beside === each.name}
          onClick={() => toggle(each.name)}
        />
      ))}
      {mayWrite && pin?.icon && (
        <IconButton
          icon={pin.icon}
          label={pin.title}
          keys={pin.keys}
          className="head-wide"
          onClick={() => void session.alter({ pinned: !thread?.pinned }).catch(failed)}
        />
      )}
      {thread && (
        <Menu label={say.more} button={<IconButton icon={Ellipsis} label={say.more} />}>
          {() => (
            <>
              <Usage thread={session.id} />
              {panes.map((each) => (
                <MenuItem key={each.name} icon={each.icon} onSelect={() => toggle(each.name)}>
                  {each.title}
                </MenuItem>
              ))}
              <MenuLine />
              <ActionItems actions={actions} keys />
            </>
          )}
        </Menu>
      )}
    </header>
  );
}

const MOST = 20; // pages of turns that are summed up

/** The tokens and the cost of the whole conversation. */
function Usage({ thread }: { thread: string }): ReactNode {
  const say = useText(words);
  const [key] = useState(() => `usage?${thread}&${Date.now()}`);
  const usage = useResource(key, () => usageOf(thread)).data;
  return (
    <p className="menu-note" role="presentation">
      {usage
        ? [
            say.turns(usage.turns),
            say.tokens(numberText(usage.tokens)),
            usage.cost !== null && usage.cost > 0 && moneyText(usage.cost, usage.currency),
          ]
            .filter(Boolean)
            .join(" · ")
        : "…"}
    </p>
  );
}

async function usageOf(thread: string) {
  const sum = { turns: 0, tokens: 0, cost: 0 as number | null, currency: "USD" };
  let before: string | undefined;
  for (let pages = 0; pages < MOST; pages++) {
    const page = await api.turns(thread, before);
    for (const each of page.items) {
      sum.turns += 1;
      sum.tokens += each.tokens;
      sum.cost = sum.cost === null || each.cost === null ? null : sum.cost + each.cost;
    }
    sum.currency = page.currency;
    if (page.next === null) break;
    before = page.next;
  }
  return sum;
}
