// Colours for code, in the languages that agents write. Loaded when there is code.

import bash from "highlight.js/lib/languages/bash";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { createLowlight } from "lowlight";
import type { ReactNode } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";

const languages = { bash, javascript, json, markdown, python, sql, typescript, xml, yaml };
const lowlight = createLowlight(languages);
// A query of a graph is similar enough to SQL to highlight its keywords and texts.
lowlight.registerAlias({ sql: ["cypher"], bash: ["console"] });

export function highlighted(code: string, language: string): ReactNode {
  const name = language.toLowerCase();
  if (!lowlight.registered(name)) return code;
  return toJsxRuntime(lowlight.highlight(name, code), { Fragment, jsx, jsxs });
}
