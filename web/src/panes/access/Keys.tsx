// API keys: their users and validity, creating one (shown once), and revoking one.

import { KeyRound, Plus, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type ApiKey, type Me, address, api } from "../../api";
import { useMe } from "../../app/access";
import { useCommands } from "../../app/commands";
import { dayText, useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { failed, told } from "../../app/toasts";
import { Age, Badge, Button, CopyButton, Dialog, DialogActions, Empty, Loaded } from "../../ui";
import { visible } from "../../ui/visible";
import { words } from "./words";

const LOGIN = "[service]\nlogin = true";

export function Keys(): ReactNode {
  const say = useText(words);
  const me = useMe();
  const keys = useResource("keys", api.keys);
  const [dialog, setDialog] = useState<"new" | ApiKey | null>(null);
  useCommands([
    { id: "access.new", group: say.title, title: say.newKey, keys: "n", icon: Plus, run: () => setDialog("new") },
  ]);
  const add = (
    <Button {...(me.login ? { look: "primary" } : {})} icon={Plus} keys="n" onClick={() => setDialog("new")}>
      {say.newKey}
    </Button>
  );
  return (
    <>
      {!me.login && (
        <p className="callout callout-warn access-notice">
          <TriangleAlert size={15} aria-hidden />
          <span>
            {say.noLogin} <code>graphwright.toml</code>: <code>{LOGIN}</code>
          </span>
          <CopyButton text={LOGIN} />
        </p>
      )}
      <Loaded of={keys} shape="table" lines={6}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={KeyRound} title={say.noKeys}>
              <p className="access-about">{say.about}</p>
              <Example />
              {add}
            </Empty>
          ) : (
            <>
              <header className="access-head">
                <p className="muted access-about">{say.about}</p>
                {add}
              </header>
              <List items={items} onRevoke={setDialog} />
            </>
          )
        }
      </Loaded>
      {dialog === "new" && <NewKey onClose={() => setDialog(null)} />}
      {dialog !== null && dialog !== "new" && <Revoking of={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

/** A call with a key, to be copied. */
function Example(): ReactNode {
  const say = useText(words);
  const call = `curl -H "Authorization: Bearer gwk_…" ${address("agents")}`;
  return (
    <p className="access-key" aria-label={say.example}>
      <code>{call}</code>
      <CopyButton text={call} />
    </p>
  );
}

function List({ items, onRevoke }: { items: readonly ApiKey[]; onRevoke(key: ApiKey): void }): ReactNode {
  const say = useText(words);
  const stateOf = (key: ApiKey) =>
    key.revoked ? "revoked" : key.expires && new Date(key.expires) < new Date() ? "expired" : "holds";
  return (
    <table className="list-table access-keys" aria-label={say.keys}>
      <thead>
        <tr>
          {[say.user, say.name, say.role, say.state, say.expires, say.lastUsed].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">
            <span className="visually-hidden">{say.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((key) => {
          const state = stateOf(key);
          return (
            <tr key={key.id} className={state === "holds" ? undefined : "access-gone"}>
              <td>
                <span className="access-name">
                  {visible(key.user)}
                  <code className="faint">{key.id}</code>
                </span>
              </td>
              <td data-name={say.name}>{visible(key.name)}</td>
              <td>{key.role}</td>
              <td>{state === "holds" ? say.holds : <Badge>{say[state]}</Badge>}</td>
              <td data-name={say.expires}>{key.expires ? dayText(key.expires) : say.never}</td>
              <td data-name={say.lastUsed}>{key.last_used ? <Age of={key.last_used} /> : say.never}</td>
              <td>
                {state !== "revoked" && (
                  <Button
                    look="quiet"
                    className="access-revoke"
                    aria-label={say.revokeKey(key.id)}
                    onClick={() => onRevoke(key)}
                  >
                    {say.revoke}
                  </Button>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const LIFETIMES = [7, 30, 90, 365]; // days

function NewKey({ onClose }: { onClose(): void }): ReactNode {
  const say = useText(words);
  const [user, setUser] = useState("");
  const [role, setRole] = useState<Me["role"]>("user");
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState("");
  const create = async () => {
    setBusy(true);
    try {
      const { key } = await api.createKey({ user: user.trim(), role, name, days: days === "" ? null : Number(days) });
      setMade(key);
      invalidate("keys");
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  if (made)
    return (
      <Dialog title={say.made}>
        <div className="dialog-content">
          <p className="muted">{say.once}</p>
          <p className="access-key">
            <code>{made}</code>
            <CopyButton text={made} />
          </p>
          <div className="dialog-actions">
            <Button look="primary" autoFocus onClick={onClose}>
              {say.done}
            </Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={say.newKey} onClose={onClose} isWritten={user !== "" || name !== ""}>
      <form className="dialog-content" onSubmit={(event) => (event.preventDefault(), void create())}>
        <p className="muted">{say.userHint}</p>
        <label className="field">
          <span>{say.user}</span>
          <input autoFocus required pattern="\S+" value={user} onChange={(event) => setUser(event.target.value)} />
        </label>
        <label className="field">
          <span>{say.role}</span>
          <select value={role} onChange={(event) => setRole(event.target.value as Me["role"])}>
            <option value="viewer">{say.viewer}</option>
            <option value="user">{say.ofUser}</option>
            <option value="author">{say.author}</option>
            <option value="publisher">{say.publisher}</option>
            <option value="admin">{say.admin}</option>
          </select>
        </label>
        <label className="field">
          <span>
            {say.name} <span className="faint">{say.optional}</span>
          </span>
          <input maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          <span>{say.days}</span>
          <select value={days} onChange={(event) => setDays(event.target.value)}>
            {LIFETIMES.map((each) => (
              <option key={each} value={each}>
                {each === 365 ? say.inAYear : say.inDays(each)}
              </option>
            ))}
            <option value="">{say.noExpiry}</option>
          </select>
        </label>
        <DialogActions onCancel={onClose}>
          <Button look="primary" type="submit" busy={busy} disabled={user.trim() === ""}>
            {say.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Revoking({ of: key, onClose }: { of: ApiKey; onClose(): void }): ReactNode {
  const say = useText(words);
  const [busy, setBusy] = useState(false);
  const revoke = () => {
    setBusy(true);
    api.revokeKey(key.id).then(
      () => {
        onClose();
        told(say.revokedNow);
        invalidate("keys");
      },
      (error: unknown) => {
        setBusy(false);
        failed(error);
      },
    );
  };
  return (
    <Dialog title={say.revokeTitle(key.user)} onClose={onClose}>
      <div className="dialog-content">
        <p className="muted">{say.revokeText}</p>
        <DialogActions onCancel={onClose}>
          <Button look="danger" autoFocus busy={busy} onClick={revoke}>
            {say.revoke}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
