// API keys: their users and validity, creating one (shown once), and revoking one.

import { KeyRound, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type ApiKey, type Me, api } from "../../api";
import { useMe } from "../../app/access";
import { useCommands } from "../../app/commands";
import { useText } from "../../app/language";
import { invalidate, useResource } from "../../app/resource";
import { failed, told } from "../../app/toasts";
import { Age, Badge, Button, CopyButton, Dialog, Empty, Loaded, Table } from "../../ui";
import { words } from "./words";

export function Keys(): ReactNode {
  const say = useText(words);
  const me = useMe();
  const keys = useResource("keys", api.keys);
  const [dialog, setDialog] = useState<"new" | ApiKey | null>(null);
  useCommands([
    { id: "access.new", group: say.title, title: say.newKey, keys: "n", icon: Plus, run: () => setDialog("new") },
  ]);
  const row = (key: ApiKey): ReactNode[] => {
    const state = key.revoked ? "revoked" : key.expires && new Date(key.expires) < new Date() ? "expired" : "holds";
    return [
      key.user,
      key.role,
      key.name,
      <Badge tone={state === "holds" ? "good" : "neutral"}>{say[state]}</Badge>,
      key.expires ? <Age of={key.expires} /> : say.never,
      key.last_used ? <Age of={key.last_used} /> : say.never,
      <code>{key.id}</code>,
      state !== "revoked" && (
        <Button look="quiet" aria-label={say.revokeKey(key.id)} onClick={() => setDialog(key)}>
          {say.revoke}
        </Button>
      ),
    ];
  };
  return (
    <>
      <div className="access-head">
        <Button icon={Plus} keys="n" onClick={() => setDialog("new")}>
          {say.newKey}
        </Button>
        {!me.login && <p className="muted">{say.noLogin}</p>}
      </div>
      <Loaded of={keys} lines={6}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={KeyRound} title={say.noKeys} />
          ) : (
            <Table
              label={say.keys}
              columns={[say.user, say.role, say.name, say.state, say.expires, say.lastUsed, say.id, ""]}
              rows={items.map(row)}
            />
          )
        }
      </Loaded>
      {dialog === "new" && <NewKey onClose={() => setDialog(null)} />}
      {dialog !== null && dialog !== "new" && <Revoking of={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

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
    <Dialog title={say.newKey} onClose={onClose}>
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
            <option value="admin">{say.admin}</option>
          </select>
        </label>
        <label className="field">
          <span>{say.name}</span>
          <input maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          <span>{say.days}</span>
          <input type="number" min={1} max={3650} value={days} onChange={(event) => setDays(event.target.value)} />
        </label>
        <div className="dialog-actions">
          <Button onClick={onClose}>{say.cancel}</Button>
          <Button look="primary" type="submit" busy={busy} disabled={!user.trim()}>
            {say.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Revoking({ of: key, onClose }: { of: ApiKey; onClose(): void }): ReactNode {
  const say = useText(words);
  const revoke = () =>
    void api.revokeKey(key.id).then(() => {
      onClose();
      told(say.revokedNow);
      invalidate("keys");
    }, failed);
  return (
    <Dialog title={say.revokeTitle(key.user)} onClose={onClose}>
      <div className="dialog-content">
        <p className="muted">{say.revokeText}</p>
        <div className="dialog-actions">
          <Button onClick={onClose}>{say.cancel}</Button>
          <Button look="danger" autoFocus onClick={revoke}>
            {say.revoke}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
