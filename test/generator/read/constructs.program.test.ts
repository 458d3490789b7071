import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { declarationText } from "../../../generator/emit/type-text.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";
import { compile, modulePackage } from "../../kit/compile.ts";
import { readToy } from "../conversions/toy-revisions.ts";
import { constructs, textOf } from "./constructs.ts";

/** Assigns each value to the type; the compiler must reject those of `invalid`. */
function uses(from: string, valid: readonly unknown[], invalid: readonly unknown[]): string {
  const assign = (value: unknown, at: number): string => `use(${JSON.stringify(value)});  // ${at}`;
  return [
    `import type { A } from "./${from}";`,
    "declare function use(value: A): void;",
    ...valid.map(assign),
    ...invalid.flatMap((value, at) => ["// @ts-expect-error", assign(value, at)]),
    "",
  ].join("\n");
}

async function writeSources(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

const folder = await createTemporaryFolder("constructs");

test("the compiler accepts the same values for the types of a schema and for the emitted ones", async () => {
  await writeFile(join(folder, "package.json"), modulePackage);
  for (const [at, construct] of constructs.entries()) {
    const { text, files = {}, valid, invalid, onlyInMessages = [] } = construct;
    const { constants, declarations } = readToy("2001-01-01", `${textOf(construct)}\nexport interface Params { x: 1 }`);
    const values = constants.map(({ name, value }) => `export const ${name} = ${JSON.stringify(value)};`);
    await writeSources(join(folder, `written${at}`), { ...files, "schema.ts": text });
    await writeFile(join(folder, `emitted${at}.ts`), [...values, ...declarations.map(declarationText)].join("\n"));
    await writeFile(join(folder, `written${at}.test.ts`), uses(`written${at}/schema.ts`, valid, invalid));
    const emitted = uses(`emitted${at}.ts`, [...valid, ...onlyInMessages], invalid);
    await writeFile(join(folder, `emitted${at}.test.ts`), emitted);
  }
  const settings = {
    moduleResolution: "bundler",
    module: "esnext",
    verbatimModuleSyntax: false,
    isolatedModules: false,
    erasableSyntaxOnly: false,
    exactOptionalPropertyTypes: false,
    noUnusedLocals: false,
  };
  expect(await compile("typescript7", { folder, files: [join(folder, "*.ts")], settings })).toEqual([]);
});
