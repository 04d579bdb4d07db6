// The rating of an answer: good or bad, with a comment.

import { ThumbsDown, ThumbsUp } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Feedback as Given } from "../../api";
import { useText } from "../../app/language";
import { failed, told } from "../../app/toasts";
import { Button, IconButton } from "../../ui";
import type { Conversation } from "./session";
import { words } from "./words";

interface Props {
  session: Conversation;
  turn: number;
  given: Given | null;
}

const LONGEST = 4000; // characters of a comment, as in the service

export function Feedback({ session, turn, given }: Props): ReactNode {
  const say = useText(words);
  const [comments, setComments] = useState(false);
  const rate = (rating: "good" | "bad") => {
    const again = given?.rating === rating;
    setComments(!again);
    void session.rate(turn, again ? null : { rating, comment: given?.comment ?? "" }).catch(failed);
  };
  return (
    <>
      <IconButton
        icon={ThumbsUp}
        label={say.good}
        aria-pressed={given?.rating === "good"}
        onClick={() => rate("good")}
      />
      <IconButton
        icon={ThumbsDown}
        label={say.bad}
        aria-pressed={given?.rating === "bad"}
        onClick={() => rate("bad")}
      />
      {comments && given && (
        <Comment
          given={given}
          onClose={() => setComments(false)}
          onDone={(comment) =>
            // It is closed once it is stored: a comment that could not be sent is still there.
            session.rate(turn, { rating: given.rating, comment }).then(() => {
              setComments(false);
              told(say.thanks);
            }, failed)
          }
        />
      )}
    </>
  );
}

interface CommentProps {
  given: Given;
  onClose(): void;
  onDone(comment: string): Promise<unknown>;
}

function Comment({ given, onClose, onDone }: CommentProps): ReactNode {
  const say = useText(words);
  const [text, setText] = useState(given.comment);
  const [busy, setBusy] = useState(false);
  return (
    <form
      className="comment"
      onSubmit={(event) => {
        event.preventDefault();
        setBusy(true);
        void onDone(text.trim()).finally(() => setBusy(false));
      }}
    >
      <input
        className="input"
        autoFocus
        maxLength={LONGEST}
        aria-label={say.comment}
        placeholder={given.rating === "bad" ? say.whatWasBad : say.whatWasGood}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onClose();
        }}
      />
      <Button look="primary" type="submit" busy={busy} disabled={!text.trim()}>
        {say.send}
      </Button>
    </form>
  );
}
