// Measures what opening the app loads, the shell and its first pane, and fails above the budget.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const BUDGET = 300_000; // bytes, gzip
const FIRST = ["index.html", "src/panes/chat/index.tsx"];
const folder = new URL("../../packages/graphwright-server/src/graphwright_server/static", import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8"));

const filesOf = (names, found = new Set(), seen = new Set()) => {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    const { file, css = [], imports = [] } = manifest[name];
    for (const each of [file, ...css]) if (/\.(js|css)$/.test(each)) found.add(each);
    filesOf(imports, found, seen);
  }
  return found;
};
const size = (file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);

const first = filesOf(FIRST);
const lazy = [...filesOf(Object.keys(manifest))].filter((file) => !first.has(file));
for (const file of lazy.sort()) console.log(`${kilobytes(size(file))}  ${file}, when needed`);
const total = [...first].reduce((sum, file) => sum + size(file), 0);
console.log(`${kilobytes(total)}  to open the app, of ${kilobytes(BUDGET).trim()} allowed (gzip)`);
if (total > BUDGET) {
  console.error("That is too much: load something of it later.");
  process.exit(1);
}
