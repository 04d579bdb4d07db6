// JSON for people: small values on a line, lists of objects as tables, the rest as a tree that opens.

import type { ReactNode } from "react";
import type { Json, JsonObject, Support } from "../api";
import { texts, useText } from "../app/language";
import { isObject } from "../values";
import { Disclosure, classes } from ".";
import { visible } from "./visible";

export { isObject };

const words = texts({
  items: [(n: number) => `${n} items`, (n: number) => `${n} Einträge`],
  fields: [(n: number) => `${n} fields`, (n: number) => `${n} Felder`],
  unsupported: ["not in your words", "nicht aus Ihren Worten"],
  default: ["by default", "Vorgabe"],
  empty: ["empty", "leer"],
  yes: ["yes", "ja"],
  no: ["no", "nein"],
});

type Marks = Record<string, Support>;
const WIDEST = 6; // columns of a table
const SHORT = 24; // characters of a value that a table does not divide
const isFlat = (value: Json): boolean => isScalar(value) || (Array.isArray(value) && value.every(isScalar));
const isScalar = (value: Json): boolean => typeof value !== "object" || value === null;

/** The columns of a list of objects that is shown as a table; null for other values. */
export function columnsOf(value: Json): string[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return null;
  const names = [...new Set(value.flatMap((row) => Object.keys(row)))];
  const isFull = value.every((row) => Object.values(row).every(isScalar));
  return isFull && names.length > 0 && names.length <= WIDEST ? names : null;
}

interface Props {
  value: Json;
  /** The origins of values by dotted path: values that the user did not say are highlighted, defaults are named. */
  marks?: Marks;
  path?: string;
  /** The previous value: differences are highlighted. */
  before?: Json | undefined;
  /** The name of a field for people. */
  label?: (name: string) => string;
}

const same = (name: string): string => name;

const at = (value: Json | undefined, name: string | number): Json | undefined =>
  Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;

/** A value of JSON. */
export function JsonView({ value, marks = {}, path = "", before, label = same }: Props): ReactNode {
  const say = useText(words);
  if (isScalar(value))
    return (
      <Scalar
        value={value}
        mark={marks[path]}
        changed={before !== undefined && before !== value}
        worded={label !== same}
      />
    );
  const columns = columnsOf(value);
  if (columns && Array.isArray(value))
    return (
      <table className="json-table">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {label(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {value.map((row, index) => (
            <tr key={index}>
              {columns.map((name) => (
                <td key={name}>
                  {at(row, name) !== undefined && (
                    <JsonView
                      value={at(row, name) ?? null}
                      marks={marks}
                      path={`${path ? `${path}.` : ""}${index}.${name}`}
                      before={before === undefined ? undefined : (at(at(before, index), name) ?? null)}
                      label={label}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    );
  const entries = Array.isArray(value)
    ? value.map((item, index) => [String(index), item] as const)
    : Object.entries(value as JsonObject);
  if (entries.length === 0) return <span className="json-null">{say.empty}</span>;
  const below = (name: string) => (path ? `${path}.${name}` : name);
  if (Array.isArray(value) && value.every(isScalar))
    return (
      <span className="json-list">
        {entries.map(([name, item]) => (
          <Scalar key={name} value={item} mark={marks[below(name)]} />
        ))}
      </span>
    );
  return (
    <dl className="json-fields">
      {entries.map(([name, item]) => (
        <div key={name} className={isFlat(item) ? undefined : "json-nested"}>
          <dt>{Array.isArray(value) ? `${Number(name) + 1}.` : label(name)}</dt>
          <dd>
            {isScalar(item) || size(item) <= 12 || path === "" ? (
              <JsonView value={item} marks={marks} path={below(name)} label={label} />
            ) : (
              <Disclosure
                summary={Array.isArray(item) ? say.items(item.length) : say.fields(Object.keys(item as object).length)}
              >
                {() => <JsonView value={item} marks={marks} path={below(name)} label={label} />}
              </Disclosure>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ScalarProps {
  value: Json;
  mark: Support | undefined;
  changed?: boolean;
  /** Yes and no are written as words. */
  worded?: boolean;
}

function Scalar({ value, mark, changed, worded }: ScalarProps): ReactNode {
  const say = useText(words);
  const text =
    value === null
      ? "null"
      : typeof value === "string"
        ? visible(value)
        : worded && typeof value === "boolean"
          ? say[value ? "yes" : "no"]
          : JSON.stringify(value);
  const unsupported = mark === "unsupported";
  return (
    <span
      className={classes(
        "json-scalar",
        `json-${value === null ? "null" : typeof value}`,
        unsupported && "unsupported",
        changed && "json-changed",
        text.length <= SHORT && "json-short",
      )}
      title={unsupported ? say.unsupported : undefined}
    >
      {text === "" ? "“”" : text}
      {unsupported && <span className="visually-hidden"> ({say.unsupported})</span>}
      {mark === "default" && <span className="json-default"> ({say.default})</span>}
    </span>
  );
}

function size(value: Json): number {
  if (isScalar(value)) return 1;
  let sum = 0;
  for (const item of Object.values(value as object) as Json[]) {
    sum += size(item);
    if (sum > 12) break;
  }
  return sum;
}
