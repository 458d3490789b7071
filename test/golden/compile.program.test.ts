import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emitTree } from "../../generator/generate.ts";
import { writeTree } from "../../generator/internal/tree.ts";
import { temporaryFolder } from "../kit/temporary-folders.ts";
import { compileEmitted, modulePackage } from "../kit/compile.ts";
import { copyGoldenSpec } from "./golden-spec.ts";

it("the files of the golden spec compile", async () => {
  const folder = temporaryFolder();
  const tree = await emitTree({ spec: await copyGoldenSpec(folder) });
  await writeTree(join(folder, "generated"), tree);
  await writeFile(join(folder, "package.json"), modulePackage);
  const files = [...tree.keys()].map((path) => join(folder, "generated", path));
  expect(await compileEmitted(folder, files, { noPropertyAccessFromIndexSignature: false })).toEqual([]);
});
