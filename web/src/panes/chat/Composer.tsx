// The input for messages: grows with the text, accepts files, sends with Enter.

import "./Composer.css";
import { ArrowUp, CircleAlert, FileText, LoaderCircle, Paperclip, Square, X } from "lucide-react";
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { api } from "../../api";
import { bytesText, spoken, useText } from "../../app/language";
import { wordsOfError } from "../../app/problems";
import { keepsFocus } from "../../app/router";
import { keptByTab } from "../../app/storage";
import { createStore, useStore } from "../../app/store";
import { Button, IconButton } from "../../ui";
import { words } from "./words";
import { grow, isComposing } from "./writing";
import { visible } from "../../ui/visible";

export interface Attachment {
  key: string;
  name: string;
  bytes: number;
  /** Its id after the upload. */
  id: string | null;
  /** Why it was rejected. */
  problem: string;
}

/** The drafts by conversation, which are kept while another one is open, and over a reload. */
const drafts = {
  key: (thread: string) => `graphwright.draft.${thread}`,
  get: (thread: string) => keptByTab.get(drafts.key(thread)) ?? "",
  set: (thread: string, text: string) => keptByTab.set(drafts.key(thread), text || null),
};
export const attachments = createStore<readonly Attachment[]>([]);

export function attach(files: Iterable<File>): void {
  for (const file of files) {
    const key = crypto.randomUUID();
    const problem = file.size === 0 ? spoken(words).empty : "";
    attachments.set([...attachments.get(), { key, name: file.name, bytes: file.size, id: null, problem }]);
    const now = (part: Partial<Attachment>) =>
      attachments.set(attachments.get().map((each) => (each.key === key ? { ...each, ...part } : each)));
    if (problem) continue;
    api.upload(file).then(
      ({ id }) => now({ id }),
      (error: unknown) => now({ problem: wordsOfError(error).text }),
    );
  }
}

function detach(attachment: Attachment): void {
  attachments.set(attachments.get().filter((each) => each.key !== attachment.key));
  if (attachment.id) api.deleteUpload(attachment.id).catch(() => undefined);
}

function Sign({ attachment }: { attachment: Attachment }): ReactNode {
  if (attachment.problem) return <CircleAlert size={13} aria-hidden />;
  if (attachment.id) return <FileText size={13} aria-hidden />;
  return <LoaderCircle size={13} className="spin" aria-hidden />;
}

interface Props {
  thread: string;
  placeholder: string;
  takesFiles: boolean;
  busy: boolean;
  disabled?: boolean;
  box: RefObject<HTMLTextAreaElement | null>;
  /** Sends a message; during a turn it waits for the end. */
  onSend(text: string, files: { id: string; name: string }[]): Promise<boolean>;
  onStop(): void;
  /** Further controls next to the buttons, such as the choice of a model. */
  children?: ReactNode;
}

/** Tells the height of the foot, above which short messages stand. */
function footOf(field: HTMLElement | null): (() => void) | undefined {
  const foot = field?.closest<HTMLElement>(".conversation-foot");
  if (!foot) return undefined;
  const root = document.documentElement.style;
  const observer = new ResizeObserver(() => root.setProperty("--foot", `${foot.offsetHeight}px`));
  observer.observe(foot);
  return () => {
    observer.disconnect();
    root.removeProperty("--foot");
  };
}

export function Composer(props: Props): ReactNode {
  const say = useText(words);
  const { thread, box, busy } = props;
  const files = useStore(attachments);
  const picker = useRef<HTMLInputElement>(null);
  const text = useRef(drafts.get(thread));
  const uploading = files.some((each) => each.id === null && !each.problem);

  const resize = useCallback(() => {
    if (box.current) grow(box.current, 240);
  }, [box]);
  useLayoutEffect(resize, [resize]);
  useEffect(() => footOf(box.current), [box]);
  const isOpened = useRef(false);
  useEffect(() => {
    const stays = !isOpened.current && keepsFocus();
    isOpened.current = true;
    // On a touch screen the keyboard would cover half of the conversation.
    if (!stays && matchMedia("(pointer: fine)").matches) box.current?.focus();
  }, [box, props.disabled]);

  const write = (value: string) => {
    text.current = value;
    drafts.set(thread, value);
  };
  // A message that was sent while its files are being uploaded goes out with them, unless it is edited before.
  const [isHeld, setHeld] = useState(false);
  const sendIt = async () => {
    const value = text.current.trim();
    if (props.disabled) return;
    if (!value) {
      box.current?.focus();
      return;
    }
    setHeld(uploading);
    if (uploading) return;
    const given = files.flatMap((each) => (each.id ? [{ id: each.id, name: each.name }] : []));
    const area = box.current;
    if (area) area.value = "";
    // The stored draft stays until the message is sent, or kept elsewhere.
    text.current = "";
    resize();
    // A rejected file stays, with its reason, until it is removed.
    attachments.set(files.filter((each) => each.problem));
    const isSent = await props.onSend(value, given);
    if (text.current) return;
    if (isSent) drafts.set(thread, "");
    else if (area) {
      // Restores a message that could not be sent.
      area.value = value;
      write(value);
      attachments.set([...files.filter((each) => each.id), ...attachments.get()]);
      resize();
    }
  };

  const remove = (attachment: Attachment) => {
    setHeld(false);
    detach(attachment);
  };
  const release = useEffectEvent(() => {
    setHeld(false);
    if (!files.some((each) => each.problem)) void sendIt();
  });
  useEffect(() => {
    if (isHeld && !uploading) release();
  }, [isHeld, uploading]);

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void sendIt();
      }}
    >
      {files.length > 0 && (
        <ul className="attachments">
          {files.map((each) => (
            <li key={each.key} className={each.problem && "attachment-bad"}>
              <Sign attachment={each} />
              <span className="cut">{visible(each.name)}</span>
              <span className="faint">{bytesText(each.bytes)}</span>
              {each.problem && (
                <span className="bad-text" role="alert">
                  {each.problem}
                </span>
              )}
              <IconButton icon={X} label={say.remove(visible(each.name))} onClick={() => remove(each)} />
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={box}
        rows={1}
        defaultValue={text.current}
        aria-label={say.message}
        placeholder={files.some((each) => each.id) ? say.whatFor : props.placeholder}
        disabled={props.disabled}
        onInput={(event) => {
          write(event.currentTarget.value);
          setHeld(false);
          resize();
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || event.shiftKey || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          void sendIt();
        }}
        onPaste={(event) => {
          if (!props.takesFiles || event.clipboardData.files.length === 0) return;
          event.preventDefault();
          attach(event.clipboardData.files);
        }}
      />
      <div className="composer-bar">
        {props.takesFiles && (
          <>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label={say.attach}
              onChange={(event) => {
                attach(event.currentTarget.files ?? []);
                event.currentTarget.value = "";
              }}
            />
            <IconButton
              icon={Paperclip}
              label={say.attach}
              keys="u"
              onClick={() => picker.current?.click()}
              className="attach"
            />
          </>
        )}
        {props.children}
        <span className="composer-space" />
        {isHeld && (
          <span className="faint" role="status">
            {say.sendsAfterUpload}
          </span>
        )}
        {busy && (
          <Button icon={Square} className="stop" aria-keyshortcuts="Escape" onClick={props.onStop}>
            {say.stop}
          </Button>
        )}
        <IconButton
          icon={ArrowUp}
          label={busy ? say.sendAfter : say.send}
          type="submit"
          className="send"
          disabled={props.disabled}
        />
      </div>
    </form>
  );
}
