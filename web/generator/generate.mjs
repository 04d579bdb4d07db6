// Reads the OpenAPI document of the service from standard input, and writes its TypeScript types to standard output.
// A package of its own, since openapi-typescript needs an older version of TypeScript than the app.
import { text } from "node:stream/consumers";
import openapiTS, { astToString, transformSchemaObject } from "openapi-typescript";
import ts from "typescript";

const NOTES = new Set(["description", "examples", "default"]);
const named = (name) => ts.factory.createTypeReferenceNode(name);
const fields = (schema) => Object.keys(schema).filter((field) => !NOTES.has(field));
const isAny = (schema) => schema === true || (typeof schema === "object" && fields(schema).length === 0);

/** The titles of fields are their names once more; in examples they are not read. */
const withoutTitle = (key, value) => (key === "title" && typeof value === "string" ? undefined : value);

/** Types of schemas that openapi-typescript reads as `unknown` or as lists: any JSON, and tuples. */
function transform(schema, options) {
  if (isAny(schema)) return named("Json");
  const own = fields(schema).sort().join();
  if (
    schema.type === "object" &&
    (own === "type" || (own === "additionalProperties,type" && isAny(schema.additionalProperties)))
  )
    return named("JsonObject");
  if (schema.type === "array" && isAny(schema.items ?? false)) return ts.factory.createArrayTypeNode(named("Json"));
  if (schema.prefixItems)
    return ts.factory.createTupleTypeNode(schema.prefixItems.map((item) => transformSchemaObject(item, options)));
  return undefined;
}

const nodes = await openapiTS(JSON.parse(await text(process.stdin), withoutTitle), {
  transform,
  defaultNonNullable: false, // A request may leave out what has a default.
  inject: 'import type { Json, JsonObject } from "./json";',
});
process.stdout.write(
  `// Generated from the OpenAPI document of the service by \`make web-types\`. Do not edit.\n\n${astToString(nodes)}`,
);
