// A new agent from a template: a name, a template, and it can be talked to at once.

import "./newAgent.css";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { client, content } from "../../api";
import { useMe } from "../../app/access";
import { identifierOf } from "../../app/identifier";
import { language, useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { go, hashOf } from "../../app/router";
import { useStore } from "../../app/store";
import { failed } from "../../app/toasts";
import { Button, Dialog, DialogActions, Loaded } from "../../ui";
import { viewSetting } from "./Head";
import { describeWords, templateWords } from "./describeWords";

const EDITS = ["author", "publisher", "admin"];
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

const templates = (spoken: "en" | "de") =>
  content(client.GET("/api/v1/templates", { params: { query: { language: spoken } } }));

export function NewAgent({ onMade }: { onMade: () => void }): ReactNode {
  const { role } = useMe();
  const say = useText(describeWords);
  const [open, setOpen] = useState(false);
  if (!EDITS.includes(role)) return null;
  return (
    <>
      <Button icon={Plus} look="primary" onClick={() => setOpen(true)}>
        {say.newAgent}
      </Button>
      {open && <Form onClose={() => setOpen(false)} onMade={onMade} />}
    </>
  );
}

function Form({ onClose, onMade }: { onClose: () => void; onMade: () => void }): ReactNode {
  const say = useText(describeWords);
  const [written, setWritten] = useState("");
  const name = NAME.test(written) ? written : identifierOf(written).toLowerCase();
  const [template, setTemplate] = useState("empty");
  const [busy, setBusy] = useState(false);
  const spoken = useStore(language);
  const found = useResource(`templates?${spoken}`, () => templates(spoken));
  const ok = NAME.test(name);
  // A template that this app does not know has its own words.
  const known = useText(templateWords) as Record<string, string>;
  const make = async () => {
    setBusy(true);
    try {
      // The service makes the title of a name that was written as a short form.
      const title = name === written ? "" : written.trim();
      await content(client.POST("/api/v1/agents", { body: { name, template, title, language: spoken } }));
      onMade();
      // A template is seen as what it is, also by somebody who wrote text before.
      if (viewSetting.get() === "text") viewSetting.set("both");
      go(hashOf("editor", [name]));
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={say.newAgent} onClose={onClose} isWritten={written !== ""}>
      <form
        className="new-agent"
        onSubmit={(event) => {
          event.preventDefault();
          if (ok && !busy) void make();
        }}
      >
        <label className="field">
          <span>{say.name}</span>
          <input
            autoFocus
            value={written}
            maxLength={40}
            aria-describedby="new-agent-name"
            aria-invalid={written !== "" && !ok}
            onChange={(event) => setWritten(event.target.value)}
          />
        </label>
        <small id="new-agent-name" className={written !== "" && !ok ? "bad-text" : "faint"}>
          {ok && name !== written ? say.nameMade(name) : say.nameRule}
        </small>
        <Loaded of={found}>
          {({ items }) => (
            <fieldset>
              <legend>{say.template}</legend>
              {items.map((each) => (
                <label key={each.name} className="new-agent-template">
                  <input
                    type="radio"
                    name="template"
                    checked={template === each.name}
                    onChange={() => setTemplate(each.name)}
                  />
                  <strong>{known[each.name] ?? each.name}</strong>
                  <img alt="" src={`data:image/svg+xml,${encodeURIComponent(each.picture)}`} />
                  <small className="muted">{known[`${each.name}_for`] ?? each.about}</small>
                </label>
              ))}
            </fieldset>
          )}
        </Loaded>
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" busy={busy} disabled={!ok}>
            {say.make}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
