import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../generator/internal/package-info.ts";

/*
 * Not a unit test: it reads what the build has bundled. The compiler is 4 MB, and takes longer to load than all else that these commands do. They
 * import it when they have to read TypeScript.
 */

interface Inputs {
  readonly [file: string]: { readonly imports: readonly { readonly path: string; readonly kind: string }[] };
}

const { inputs }: { readonly inputs: Inputs } = JSON.parse(
  readFileSync(join(packageRoot, "dist", ".build", "programs.json"), "utf8"),
);

/** Returns a file and the files that are loaded with it. */
function loadedWith(file: string, known: Set<string> = new Set()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const { path, kind } of inputs[file]?.imports ?? []) if (kind === "import-statement") loadedWith(path, known);
  return known;
}

const commands = ["create", "update", "settings", "client", "check", "diff", "explain", "gateway", "replay", "inspect"];

test.each([...commands, "generate", "model", "docs"])("`%s` loads no compiler until it needs one", (command) => {
  const files = [...loadedWith(`dist/cli/commands/${command}.js`)];
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => /node_modules\/(ts-morph|typescript|ajv)\//.test(file))).toEqual([]);
});
