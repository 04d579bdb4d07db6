// The experiments that the palette finds.

import { spoken } from "../../app/language";
import { remembered } from "../../app/remembered";
import { hashOf } from "../../app/router";
import { visible } from "../../ui/visible";
import type { Found } from "../found";
import { experimentsApi } from "./api";
import { states } from "./words";

const all = remembered(() => experimentsApi.list());

export async function find(words: string, most: number): Promise<Found[]> {
  const named: Record<string, string> = spoken(states);
  const wanted = words.toLocaleLowerCase();
  return (await all()).items
    .filter((each) => `${each.name} ${each.context} ${each.id}`.toLocaleLowerCase().includes(wanted))
    .slice(0, most)
    .map(({ id, name, context, state }) => ({
      id,
      title: visible(name),
      note: `${context} · ${named[state] ?? state}`,
      hash: hashOf("experiments", [id]),
    }));
}
