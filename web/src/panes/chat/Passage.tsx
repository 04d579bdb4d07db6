// The passage of a source, with a link to its page or entry.

import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../../app/language";
import { Dialog } from "../../ui";
import { Markdown } from "./Markdown";
import type { Source } from "./turn";
import { words } from "./words";

export default function Passage({ source, onClose }: { source: Source; onClose(): void }): ReactNode {
  const say = useText(words);
  const isWeb = /^https?:/.test(source.url);
  const isEntry = source.kind === "elog";
  return (
    <Dialog title={source.title || say.source} onClose={onClose} className="passage">
      <div className="dialog-content">
        {source.label !== source.title && <p className="muted">{source.label}</p>}
        <blockquote tabIndex={0}>
          {/* The lines of an entry are those of its author. */}
          <Markdown text={source.text} joined={!isEntry} />
        </blockquote>
        {isWeb && (
          <div className="dialog-actions">
            <a className="button button-plain" href={source.url} target="_blank" rel="noopener noreferrer nofollow">
              <ExternalLink size={15} aria-hidden /> {isEntry ? say.openEntry : say.openPage}
            </a>
          </div>
        )}
      </div>
    </Dialog>
  );
}
