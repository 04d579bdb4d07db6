// Writes what is text of the built app once more as .gz and .br, for the service to send as it is.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const SMALLEST = 1400; // bytes: below that it is one packet on the network either way
const LARGE = 1_000_000; // bytes: beyond that the best Brotli takes 14 s for a tenth less
const folder = new URL("../../packages/graphwright-server/src/graphwright_server/static", import.meta.url).pathname;

async function compress(file) {
  const content = readFileSync(file);
  if (content.length < SMALLEST) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: content.length > LARGE ? 9 : 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const [gz, br] = await Promise.all([
    promisify(gzip)(content, { level: 9 }),
    promisify(brotliCompress)(content, { params }),
  ]);
  writeFileSync(`${file}.gz`, gz);
  writeFileSync(`${file}.br`, br);
}

const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|css|html|svg)$/.test(name));
await Promise.all(files.map((name) => compress(join(folder, name))));
