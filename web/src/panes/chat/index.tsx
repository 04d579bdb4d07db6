// The chat: the conversations at the left, the open one, or the choice of an agent for a new one.

import "./chat.css";
import { MessageSquare, PanelLeft } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { PaneProps } from "../props";
import { api } from "../../api";
import { useMayWrite } from "../../app/access";
import { useAgents } from "../../app/agents";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { usePlace } from "../../app/router";
import { createSetting, useStore } from "../../app/store";
import { Empty, Failure, IconButton } from "../../ui";
import { Opened } from "./Conversation";
import { Start } from "./Start";
import { ThreadList } from "./ThreadList";
import { words } from "./words";

const listSetting = createSetting("threads", ["shown", "hidden"] as const, "shown");
const narrow = matchMedia("(max-width: 820px)");

export default function Chat({ rest }: PaneProps): ReactNode {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const thread = rest[0] ?? "";
  const agents = useAgents();
  const wanted = useStore(listSetting);
  // On a narrow screen the list covers the conversation until one is chosen.
  const [over, setOver] = useState(false);
  const place = usePlace();
  useEffect(() => setOver(false), [place]);
  // A viewer without conversations has none to choose.
  const own = useResource(mayWrite || thread ? null : "threads?own", () => api.threads({ limit: 1 }));
  const none = own.data?.items.length === 0;
  const toggle = () => (narrow.matches ? setOver(!over) : listSetting.set(wanted === "shown" ? "hidden" : "shown"));
  useCommands([{ id: "chat.list", group: say.group, title: say.toggleList, keys: "[", icon: PanelLeft, run: toggle }]);

  return (
    <div className="chat" data-list={over ? "over" : wanted}>
      {over && (
        <button type="button" className="chat-veil" aria-label={say.toggleList} onClick={() => setOver(false)} />
      )}
      <ThreadList chosen={thread} agents={agents.data ?? []} />
      {thread ? (
        <Opened key={thread} thread={thread} agents={agents.data ?? []} onToggleList={toggle} />
      ) : agents.error !== undefined && !agents.data ? (
        <Failure error={agents.error} retry={() => void agents.reload()} />
      ) : !mayWrite ? (
        <section className="conversation" aria-label={none ? say.noThreads : say.chooseThread}>
          <header className="pane-bar">
            <IconButton icon={PanelLeft} label={say.toggleList} keys="[" onClick={toggle} />
          </header>
          <Empty icon={MessageSquare} title={none ? say.noThreads : say.chooseThread}>
            <p>{say.onlyYours}</p>
          </Empty>
        </section>
      ) : (
        <Start agents={agents.data} onToggleList={toggle} />
      )}
    </div>
  );
}
