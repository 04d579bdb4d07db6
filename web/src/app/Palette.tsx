// The palette: every action by a few letters of its name; and the list of all keys.

import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from "react";
import { Dialog, Keys } from "../ui";
import { type Command, commands, offeredCommands } from "./commands";
import { texts, useText } from "./language";
import { useStore } from "./store";

const words = texts({
  title: ["All actions", "Alle Aktionen"],
  search: ["What do you want to do?", "Was möchten Sie tun?"],
  nothing: ["No action is called that.", "Keine Aktion heißt so."],
  keys: ["Keys", "Tasten"],
});

/** How well letters match a title, higher is better; -1 if they do not occur in this order. */
export function fit(letters: string, title: string): number {
  const wanted = letters.toLowerCase().replaceAll(" ", "");
  const text = title.toLowerCase();
  if (text.includes(letters.toLowerCase().trim())) return 1000 - text.indexOf(letters.toLowerCase().trim());
  let at = -1;
  let score = 0;
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return -1;
    score += next === at + 1 ? 5 : next === 0 || /\W/.test(text[next - 1] ?? "") ? 4 : 0;
    at = next;
  }
  return score;
}

export function Palette({ onClose }: { onClose(): void }): ReactNode {
  const say = useText(words);
  const all = useStore(commands);
  const [letters, setLetters] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const found = useMemo(() => {
    const offered = offeredCommands(all).filter((each) => each.id !== "app.palette");
    if (!letters.trim()) return offered;
    return offered
      .map((command) => ({ command, score: fit(letters, `${command.title} ${command.also ?? ""} ${command.group}`) }))
      .filter((each) => each.score >= 0)
      .sort((one, other) => other.score - one.score)
      .map((each) => each.command);
  }, [all, letters]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    // After the dialog has restored the focus, because an action may move it.
    setTimeout(command.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((chosen + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={say.title} onClose={onClose} className="palette" bare>
      <label className="palette-search">
        <Search size={16} aria-hidden />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={found[chosen] && `${list}-${chosen}`}
          aria-label={say.search}
          placeholder={say.search}
          value={letters}
          onChange={(event) => {
            setLetters(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div className="palette-list" role="listbox" id={list} aria-label={say.title}>
        {found.map((command, index) => (
          <div
            key={command.id}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="palette-item"
            ref={index === chosen ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            onMouseMove={() => setChosen(index)}
            onClick={() => run(command)}
          >
            {command.icon ? <command.icon size={15} aria-hidden /> : <span className="palette-no-icon" />}
            <span className="palette-title">{command.title}</span>
            <span className="palette-group">{command.group}</span>
            {command.keys && <Keys keys={command.keys} />}
          </div>
        ))}
        {found.length === 0 && <p className="muted palette-nothing">{say.nothing}</p>}
      </div>
    </Dialog>
  );
}

export function KeyHelp({ onClose }: { onClose(): void }): ReactNode {
  const say = useText(words);
  const offered = offeredCommands(useStore(commands)).filter((each) => each.keys);
  const groups = [...new Set(offered.map((each) => each.group))];
  return (
    <Dialog title={say.keys} onClose={onClose} className="key-help">
      <div className="key-groups">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {offered
                .filter((each) => each.group === group)
                .map((each) => (
                  <div key={each.id}>
                    <dt>{each.title}</dt>
                    <dd>
                      <Keys keys={each.keys ?? ""} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
