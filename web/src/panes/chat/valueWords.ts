// The requirements for a value, and its violated rules, in a few words.

import type { JsonObject } from "../../api";
import { numberText } from "../../app/language";
import { type Complaint, typeOf } from "./checking";
import type { words } from "./words";

type Say = (typeof words)["en"];

/** The requirements for a value, in a few words. */
export function wanted(schema: JsonObject, say: Say): string {
  const limit = (...names: string[]) => names.map((each) => schema[each]).find((each) => typeof each === "number");
  const least = limit("minimum");
  const most = limit("maximum");
  const above = limit("exclusiveMinimum");
  const below = limit("exclusiveMaximum");
  const [few, many] = [limit("minItems"), limit("maxItems")];
  const parts = [
    typeof schema.description === "string" && schema.description,
    typeOf(schema) === "integer" && say.notWhole,
    least !== undefined && say.tooSmall(numberText(least, 6)),
    above !== undefined && say.notAbove(numberText(above, 6)),
    most !== undefined && say.tooLarge(numberText(most, 6)),
    below !== undefined && say.notBelow(numberText(below, 6)),
    few !== undefined && few > 0 && say.tooFew(few),
    many !== undefined && say.tooMany(many),
  ];
  return parts.filter(Boolean).join(" · ");
}

export function complaintText(complaint: Complaint, say: Say): string {
  const texts: Record<Complaint["kind"], (limit: number) => string> = {
    too_small: (limit) => say.tooSmall(numberText(limit, 6)),
    too_large: (limit) => say.tooLarge(numberText(limit, 6)),
    not_above: (limit) => say.notAbove(numberText(limit, 6)),
    not_below: (limit) => say.notBelow(numberText(limit, 6)),
    no_multiple: (limit) => say.noMultiple(numberText(limit, 6)),
    too_short: say.tooShort,
    too_long: say.tooLong,
    too_few: say.tooFew,
    too_many: say.tooMany,
    not_whole: () => say.notWhole,
    not_number: () => say.notNumber,
    not_like: () => say.notLike,
    not_email: () => say.notEmail,
    not_phone: () => say.notPhone,
    not_date: () => say.notDate,
  };
  return texts[complaint.kind]("limit" in complaint ? complaint.limit : 0);
}
