// The commands of the open conversation, with their keys.

import { ArrowDown, Pencil, RotateCcw, Upload } from "lucide-react";
import type { RefObject } from "react";
import { useMayWrite } from "../../app/access";
import { type Command, useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { type Conversation, type Shown, isCutShort } from "./session";
import { words } from "./words";

interface Offered {
  shown: Shown;
  session: Conversation;
  box: RefObject<HTMLTextAreaElement | null>;
  toEnd(): void;
  actions: Omit<Command, "group">[];
  takesFiles: boolean;
  onEdit(turn: number): void;
  onRepeat(turn: number, text: string): void;
}

export function useConversationCommands({ shown, session, box, toEnd, takesFiles, ...rest }: Offered): void {
  const say = useText(words);
  const mayWrite = useMayWrite();
  const { live } = shown;
  const busy = live !== null && live.ending === null;
  const cutShort = isCutShort(shown);
  // The messages at the start of a branch are not a turn that can be repeated; neither is a decision about an approval.
  const said = shown.messages.findLast((each) => each.role === "user");
  const lastSaid = said && said.turn > 0 && !said.by_value ? said : undefined;
  const repeat = () => {
    if (cutShort || live) session.retry();
    else if (lastSaid) rest.onRepeat(lastSaid.turn, lastSaid.text);
  };
  const when = (is: boolean, command: Omit<Command, "group">) => (is ? [{ ...command, group: say.group }] : []);
  useCommands([
    ...rest.actions.map((each) => ({ ...each, group: say.group })),
    ...when(mayWrite, { id: "chat.write", title: say.focus, keys: "i", run: () => box.current?.focus() }),
    ...when(true, { id: "chat.latest", title: say.latest, keys: "shift+g", icon: ArrowDown, run: toEnd }),
    ...when(busy && mayWrite, {
      id: "chat.stop",
      title: say.stop,
      keys: "escape",
      // Escape leaves the next message, which is being written.
      isHeld: () => Boolean(box.current?.value.trim()),
      run: () => void session.stop(),
    }),
    ...when(!busy && mayWrite && Boolean(cutShort || live || lastSaid), {
      id: "chat.retry",
      title: cutShort ? say.finish : say.retry,
      keys: "r",
      icon: RotateCcw,
      run: repeat,
      button: () => [...document.querySelectorAll<HTMLElement>('.conversation [aria-keyshortcuts="R"]')].at(-1),
    }),
    ...when(!busy && mayWrite && lastSaid !== undefined, {
      id: "chat.edit",
      title: say.edit,
      keys: "e",
      icon: Pencil,
      run: () => lastSaid && rest.onEdit(lastSaid.turn),
    }),
    ...when(takesFiles, {
      id: "chat.attach",
      title: say.attach,
      keys: "u",
      icon: Upload,
      run: () => document.querySelector<HTMLElement>(".attach")?.click(),
    }),
  ]);
}
