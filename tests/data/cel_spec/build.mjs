// Writes conformance.json from the npm package: see README.md.
import { writeFileSync } from "node:fs";
import { toJson } from "@bufbuild/protobuf";
import { SimpleTestSchema } from "@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js";
import { getTestRegistry } from "@bufbuild/cel-spec/testdata/registry.js";
import { getConformanceSuite } from "@bufbuild/cel-spec/testdata/tests.js";

const registry = getTestRegistry();
const lines = [];
for (const suite of getConformanceSuite().suites) {
  for (const section of suite.suites) {
    for (const test of section.tests) {
      lines.push(JSON.stringify([suite.name, section.name, toJson(SimpleTestSchema, test.original, { registry })]));
    }
  }
}
writeFileSync(process.argv[2] ?? "conformance.json", `[\n${lines.join(",\n")}\n]\n`);
