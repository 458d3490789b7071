import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { compile, compilers } from "../kit/compile.ts";

/* The generated types are those of the schema, declaration by declaration, for both compilers and under the strictest flags. */

// Whole compiler runs, each in a process of its own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const pinned = await openSpecFolder("spec");
const revisions = [...pinned.pins.keys()];

/**
 * `true` where two types accept each other's values and have the same keys at the top; else the reason. The levels below differ in
 * what was put back on purpose: `_meta` in params that had lost it. A `Record` has no numeric keys where an index has.
 */
const comparison = `
export type Same<Theirs, Ours> = [Theirs] extends [Ours]
  ? [Ours] extends [Theirs]
    ? SameKeys<Exclude<keyof Theirs, number>, Exclude<keyof Ours, number>>
    : "ours is not theirs"
  : "theirs is not ours";
type SameKeys<Theirs, Ours> = [Theirs] extends [Ours] ? ([Ours] extends [Theirs] ? true : "a key too many") : "a key is missing";
`;

const folder = await createTemporaryFolder("types");

beforeAll(async () => {
  await writeFile(join(folder, "same.ts"), comparison);
});

describe.each(compilers)("%s", (compiler) => {
  // One run for all of it: a compiler takes longest to read what the runs would have in common.
  it("the generated layer has every declaration of the schema, and compiles without globals of Node", async () => {
    const comparisons = await Promise.all(revisions.map((revision) => writeComparison(revision)));
    const files = [...comparisons, resolve("generated/**/*.ts"), resolve("spec/*/schema.ts")];
    const settings = { isolatedDeclarations: true, declaration: true };
    expect(await compile(compiler, { folder, files, settings })).toEqual([]);
  });
});

describe("the comparison", () => {
  const slips: readonly { slip: string; from: string | RegExp; to: string; says: string }[] = [
    {
      slip: "an optional property that became required",
      from: "nextCursor?: Cursor;",
      to: "nextCursor: Cursor;",
      says: "PaginatedResult",
    },
    {
      slip: "a required property that became optional",
      from: /(interface Root(?: extends \w+)? \{[^}]*?)uri:/,
      to: "$1uri?:",
      says: "Root",
    },
    {
      slip: "a property that is gone",
      from: /(interface Root(?: extends \w+)? \{[^}]*?)name\?: string;/,
      to: "$1",
      says: "Root",
    },
    {
      slip: "a property too many",
      from: /(interface Root(?: extends \w+)? \{)/,
      to: "$1 extra?: string;",
      says: "Root",
    },
    {
      slip: "a string that became a number",
      from: "export type Cursor = string;",
      to: "export type Cursor = number;",
      says: "Cursor",
    },
    { slip: "a member of a union that is gone", from: '| "emergency"', to: "", says: "LoggingLevel" },
    { slip: "a member of a union too many", from: '| "emergency"', to: '| "emergency" | "joy"', says: "LoggingLevel" },
    {
      slip: "another constant",
      from: 'JSONRPC_VERSION = "2.0"',
      to: 'JSONRPC_VERSION = "1.0"',
      says: "JSONRPCRequest",
    },
    {
      slip: "a type that became unknown",
      from: /export interface Tool extends [^{]*/,
      to: "export type Tool = unknown; interface Gone ",
      says: "Tool",
    },
  ];

  it("the comparison finds every difference", async () => {
    const revision = "2025-11-25";
    const good = await readFile(`generated/${revision}/types.ts`, "utf8");
    const files = await Promise.all(
      slips.map(async ({ from, to }, at) => {
        const wrong = good.replace(from, to);
        expect(wrong).not.toBe(good);
        await writeFile(join(folder, `wrong-${at}.ts`), wrong);
        return writeComparison(revision, { types: `./wrong-${at}.ts`, name: `slip-${at}.ts` });
      }),
    );
    const problems = await compile("typescript7", { folder, files, settings: { noUnusedLocals: false } });
    for (const [at, { slip, says }] of slips.entries()) {
      const found = problems.filter((problem) => problem.includes(`slip-${at}.ts`));
      const lines = (await readFile(join(folder, `slip-${at}.ts`), "utf8")).split("\n");
      const names = found.map((problem) =>
        lines[Number(/\((\d+),/.exec(problem)?.[1]) - 1]?.split(":")[0]?.replace(/.*same_/, ""),
      );
      expect(names, slip).toContain(says);
    }
  });

  it("the comparison has a line for every declaration of a schema", async () => {
    for (const revision of revisions) {
      const text = await readFile(await writeComparison(revision), "utf8");
      const exported = (await readFile(`spec/${revision}/schema.ts`, "utf8")).match(/^export (interface|type) /gm);
      expect(text.match(/^export const same_/gm)?.length).toBe(exported?.length);
    }
  });
});

/** Writes a file that compiles only where generated types and schema agree; every line is about one declaration. */
async function writeComparison(
  revision: string,
  {
    types = `../../../../generated/${revision}/types.ts`,
    name = `${revision}.ts`,
  }: { types?: string; name?: string } = {},
): Promise<string> {
  const { declarations, constants } = await pinned.readModel(revision);
  const lines = [
    `import type * as theirs from "../../../../spec/${revision}/schema.ts";`,
    `import type * as ours from "${types}";`,
    `import type { Same } from "./same.ts";`,
    ...declarations.map(
      (declaration) =>
        `export const same_${declaration.name}: Same<theirs.${declaration.name}, ours.${declaration.name}> = true;`,
    ),
    ...constants.map(
      (constant) =>
        `export const constant_${constant.name}: Same<typeof theirs.${constant.name}, typeof ours.${constant.name}> = true;`,
    ),
  ];
  const path = join(folder, name);
  await writeFile(path, `${lines.join("\n")}\n`);
  return path;
}
