// The palette: every command by a few letters of its name, and the conversations by what was said in them.

import { Command as List } from "cmdk";
import { MessageSquare, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { type Thread, api } from "../api";
import { Age, Dialog, Keys, Marked } from "../ui";
import { saysMore, snippet, withoutMarks } from "../ui/plain";
import { useTitleOf } from "./agents";
import { type Command, commands, offeredCommands } from "./commands";
import { oneEach } from "./families";
import { fit } from "./fit";
import { texts, useText } from "./language";
import { PaletteFound } from "./PaletteFound";
import { useAgentCommands } from "./paletteAgents";
import { useKept, useResource } from "./resource";
import { go, hashOf, usePlace } from "./router";
import { useStore } from "./store";

const words = texts({
  title: ["Search and commands", "Suche und Befehle"],
  search: ["Search everything, or type a command", "Alles durchsuchen oder Befehl eingeben"],
  nothing: ["Nothing fits, no command either.", "Nichts passt, auch kein Befehl."],
  conversations: ["Conversations", "Gespräche"],
  recent: ["Recent", "Zuletzt"],
  more: ["more", "mehr"],
  choose: ["choose", "wählen"],
  open: ["open", "öffnen"],
  close: ["close", "schließen"],
});

const FOUND = 6; // conversations shown
const BEFORE = 24; // characters shown before the found words of a message

/** The commands that fit, the best first, in their groups; the group of the best one is first. */
function grouped(all: readonly Command[], letters: string): [string, Command[]][] {
  const offered = offeredCommands(all).filter((each) => each.id !== "app.palette");
  const scored = offered.map((command) => {
    const own = fit(letters, `${command.title} ${command.also ?? ""}`);
    // The name of the group finds all of it, after what is called that itself.
    return { command, score: own < 0 && fit(letters, command.group) > 1000 ? 0.5 : own };
  });
  const found = letters.trim()
    ? scored.filter((each) => each.score >= 0).sort((one, other) => other.score - one.score)
    : scored;
  const groups = new Map<string, Command[]>();
  for (const { command } of found) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups];
}

export function Palette({ onClose }: { onClose(): void }): ReactNode {
  const say = useText(words);
  const all = useStore(commands);
  const [letters, setLetters] = useState("");
  // The row that is chosen, and the row of an agent whose other commands are shown.
  const [row, setRow] = useState("");
  const [open, setOpen] = useState("");
  const ofAgents = useAgentCommands(letters, open);
  const groups = useMemo(() => {
    const found = grouped(all, letters);
    if (ofAgents.length === 0) return found;
    const agents: [string, Command[]] = [ofAgents[0]!.group, ofAgents];
    // The better group is first.
    const best = found[0]?.[1][0];
    return fit(letters, best?.title ?? "") >= fit(letters, ofAgents[0]?.title ?? "")
      ? [...found, agents]
      : [agents, ...found];
  }, [all, letters, ofAgents]);
  const wanted = useDeferredValue(letters.trim());
  const titleOf = useTitleOf();
  const search = useResource(`threads?palette&${wanted}`, () =>
    api.threads({ q: wanted, limit: FOUND, families: !wanted }),
  );
  // A search never shows the last conversations while its answer is loading.
  const found = useKept(wanted ? search.data : undefined);
  const threads = oneEach((letters.trim() ? found : search.data)?.items ?? []);
  // The first row is chosen when the list is there, and after typing, because the chosen one may be of an earlier list.
  const isSearch = letters.trim() !== "";
  const command = groups[0]?.[1][0]?.id;
  const thread = threads[0] && `thread ${threads[0].thread}`;
  const best = isSearch ? (command ?? thread) : search.loading ? undefined : (thread ?? command);
  // Before the next key, which may be Enter.
  useLayoutEffect(() => {
    if (best !== undefined) setRow(best);
  }, [letters, best]);
  // The browser's buttons, and links, lead to another page.
  const place = usePlace();
  const [opened] = useState(place);
  useEffect(() => {
    if (place !== opened) onClose();
  }, [place, opened, onClose]);
  const then = (run: () => void) => {
    onClose();
    // After the dialog has restored the focus, because an action may move it.
    setTimeout(run);
  };
  const isOfAgent = ofAgents.some((each) => each.id === row);
  const conversations = threads.length > 0 && (
    <List.Group heading={isSearch ? say.conversations : say.recent}>
      {threads.map((each) => (
        <List.Item
          key={each.thread}
          value={`thread ${each.thread}`}
          onSelect={() =>
            then(() => go(hashOf("chat", [each.thread], each.found ? { message: String(each.found.seq) } : {})))
          }
        >
          <MessageSquare size={15} aria-hidden />
          <span className="palette-title">
            <Marked text={withoutMarks(each.title || titleOf(each.agent))} letters={wanted} />
            <Found of={each} />
          </span>
          <span className="palette-note">
            <Marked text={titleOf(each.agent)} letters={wanted} /> · <Age of={each.updated} />
          </span>
        </List.Item>
      ))}
    </List.Group>
  );
  return (
    <Dialog title={say.title} onClose={onClose} className="palette" bare>
      <List label={say.title} shouldFilter={false} loop value={row} onValueChange={setRow}>
        <div className="palette-search">
          <Search size={16} aria-hidden />
          <List.Input
            autoFocus
            aria-label={say.search}
            placeholder={say.search}
            value={letters}
            onValueChange={setLetters}
            onKeyDown={(event) => {
              // Nothing else here takes the focus.
              if (event.key !== "Tab" || event.shiftKey || !isOfAgent) return;
              event.preventDefault();
              setOpen(open === row ? "" : row);
            }}
          />
        </div>
        <List.List className="palette-list" label={say.title}>
          {!search.loading && <List.Empty className="muted palette-nothing">{say.nothing}</List.Empty>}
          {!isSearch && conversations}
          {groups.map(([group, found]) => (
            <List.Group key={group} heading={group}>
              {found.map((command) => (
                <List.Item key={command.id} value={command.id} onSelect={() => then(command.run)}>
                  {command.icon ? <command.icon size={15} aria-hidden /> : <span className="palette-no-icon" />}
                  <span className="palette-title">
                    <Marked text={command.title} letters={wanted} />
                  </span>
                  {command.keys && <Keys keys={command.keys} />}
                </List.Item>
              ))}
            </List.Group>
          ))}
          {isSearch && conversations}
          {wanted && <PaletteFound wanted={wanted} onOpen={(hash) => then(() => go(hash))} />}
        </List.List>
        <p className="palette-foot" aria-hidden>
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> {say.choose}
          </span>
          <span>
            <kbd>↵</kbd> {say.open}
          </span>
          {isOfAgent && (
            <span>
              <kbd>Tab</kbd> {say.more}
            </span>
          )}
          <span>
            <kbd>Esc</kbd> {say.close}
          </span>
        </p>
      </List>
    </Dialog>
  );
}

/** Where a message of the conversation has the words, unless they are its title. */
function Found({ of: { found, title } }: { of: Thread }): ReactNode {
  if (!found) return null;
  const parts = snippet(found);
  if (!saysMore(withoutMarks(title), parts)) return null;
  const [before, words, after] = parts;
  // The line is short: it begins a few words before what was found.
  const from = before.length > BEFORE ? before.indexOf(" ", before.length - BEFORE) + 1 : 0;
  return (
    <span className="palette-found cut">
      {from > 0 && "… "}
      {before.slice(from)}
      <mark>{words}</mark>
      {after}
    </span>
  );
}
