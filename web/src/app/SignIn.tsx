// Signing in with an API key: on a separate page at first, in a dialog over the page after a key was refused.

import { Languages, LogOut } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { type Me, Problem, apiKey, signIn } from "../api";
import { Button, Dialog } from "../ui";
import { refusedKey, useMe } from "./access";
import { language, texts, useText } from "./language";
import { wordsOf, wordsOfError } from "./problems";
import { invalidate } from "./resource";
import { keptByTab } from "./storage";
import { useStore } from "./store";

const words = texts({
  signIn: ["Sign in", "Anmelden"],
  needsKey: [
    "Sign in with your API key. An admin of this service gives you one.",
    "Melden Sie sich mit Ihrem API-Schlüssel an. Ein Admin dieses Dienstes gibt Ihnen einen.",
  ],
  otherLanguage: ["Deutsch", "English"],
  key: ["API key", "API-Schlüssel"],
  again: ["Sign in again", "Erneut anmelden"],
  nothingLost: [
    "Nothing of what you wrote is lost: it goes on with another key of yours.",
    "Von dem, was Sie geschrieben haben, geht nichts verloren: Mit einem anderen Schlüssel geht es weiter.",
  ],
  signOut: ["Sign out", "Abmelden"],
});

/** Forgets the key, and all data of the page. */
export function signOut(): void {
  keptByTab.forget();
  location.reload();
}

/** The page for users who have not signed in. `refused` says why the previous key was refused. */
export function SignInPage({ refused, onDone }: { refused: Problem; onDone(me: Me): void }): ReactNode {
  const say = useText(words);
  return (
    <main className="whole-page sign-in-page">
      <div className="sign-in">
        <img src="./icon.svg" alt="" width={36} height={36} />
        <h1>Graphwright</h1>
        <p className="muted">{say.needsKey}</p>
        <KeyForm refused={refused.code === "login_required" ? null : refused} onDone={onDone}>
          <Button icon={Languages} look="quiet" onClick={() => language.set(language.get() === "en" ? "de" : "en")}>
            {say.otherLanguage}
          </Button>
        </KeyForm>
      </div>
    </main>
  );
}

/** Asks for another key over the page, which stays unchanged; waiting requests then continue. */
export function SignInAgain(): ReactNode {
  const say = useText(words);
  const me = useMe();
  const refused = useStore(refusedKey);
  if (!refused) return null;
  const onDone = (now: Me) => {
    // The content of the page, and what was written in it, belong to the previous user.
    if (now.user !== me.user) {
      const key = apiKey.get();
      keptByTab.forget();
      apiKey.set(key);
      location.reload();
    } else {
      refused.goOn();
      invalidate("me");
    }
  };
  return (
    <Dialog title={say.again} className="sign-in-again">
      <div className="dialog-content">
        <p className="muted">{say.nothingLost}</p>
        <KeyForm refused={refused.problem} onDone={onDone}>
          <Button icon={LogOut} look="quiet" onClick={signOut}>
            {say.signOut}
          </Button>
        </KeyForm>
      </div>
    </Dialog>
  );
}

interface FormProps {
  refused: Problem | null;
  onDone(me: Me): void;
  children?: ReactNode;
}

function KeyForm({ refused, onDone, children }: FormProps): ReactNode {
  const say = useText(words);
  const [key, setKey] = useState("");
  const [error, setError] = useState<unknown>(refused ?? undefined);
  const [busy, setBusy] = useState(false);
  const why = useId();
  const send = async () => {
    setBusy(true);
    try {
      onDone(await signIn(key.trim()));
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  const { text, more } = error instanceof Problem ? wordsOf(error) : wordsOfError(error);
  return (
    <form
      className="sign-in-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label className="field">
        <span>{say.key}</span>
        <input
          type="password"
          autoComplete="current-password"
          autoFocus
          spellCheck={false}
          value={key}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : why}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      {error !== undefined && (
        <p role="alert" id={why} className="bad-text">
          {text} {more}
        </p>
      )}
      <div className="dialog-actions">
        {children}
        <Button look="primary" type="submit" busy={busy} disabled={!key.trim()}>
          {say.signIn}
        </Button>
      </div>
    </form>
  );
}
