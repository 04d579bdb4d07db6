// The model of a conversation, where the operator lets users choose among several.

import { Cpu } from "lucide-react";
import type { ReactNode } from "react";
import { api } from "../../api";
import { useText } from "../../app/language";
import { useResource } from "../../app/resource";
import { Select } from "../../ui";
import { shortModel } from "./agentLook";
import { words } from "./words";

/** `model` is empty for the one that answers by default. */
export function ModelChoice({ model, onChoose }: { model: string; onChoose(model: string): void }): ReactNode {
  const say = useText(words);
  const offered = useResource("models", api.models).data?.items ?? [];
  const named = (name: string) => (name && name !== "none" ? shortModel(name) : say.withoutModel);
  const standard = offered.find((each) => each.default)?.name ?? "";
  if (offered.length < 2) return standard && <span className="composer-model cut">{named(standard)}</span>;
  const isOffered = offered.some((each) => each.name === model && !each.default);
  return (
    <Select
      className="composer-model"
      label={say.model}
      value={isOffered ? model : ""}
      choices={offered.map((each) => ({ value: each.default ? "" : each.name, title: named(each.name), icon: Cpu }))}
      onChoose={onChoose}
    />
  );
}
