import { expect, test } from "vitest";
import { initialsOf } from "./agentLook";

test.each([
  ["Bank help desk", "BD"],
  ["Parcels", "PA"],
  ["ß-Dienst (alt)", "SSA"],
  ["…", ""],
])("the initials of %s are %s", (title, initials) => expect(initialsOf(title)).toBe(initials));
