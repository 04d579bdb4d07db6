// The list of all keys.

import type { ReactNode } from "react";
import { Dialog, Keys } from "../ui";
import { commands, offeredCommands } from "./commands";
import { texts, useText } from "./language";
import { useStore } from "./store";

const words = texts({ keys: ["Keys", "Tasten"] });

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
                      {each.button && (
                        <>
                          {" "}
                          <Keys keys="enter" />
                        </>
                      )}
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
