import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { emitOwnLayer } from "../../generator/create/emit-layer.ts";
import type { LayerChoices, Offering } from "../../generator/create/layer/choices.ts";
import { parts, withoutParts } from "../../generator/create/layer/parts.ts";
import { revisions } from "../../generated/revisions.ts";
import { compile, compilers } from "../types/compile.ts";

/* Parts of a program that are spread over files which every program has (A19). */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const source = `import { a } from "./a.ts";

interface One {
  /**
   * Gone.
   */
  gone(
    first: string,
  ): { readonly a: string };
  kept: string;
  either: string;
}

class Two {
  readonly #gone = 1;

  constructor(
    first: string,
    second: string,
  ) {
    if (second) {
      a();

      a();
    }
  }

  gone(): void {
    a();
  }

  kept(): void {
    switch (first) {
      case "a":
        a();
        break;
      default:
        a();
    }
  }
}
`;

describe("a source without a part", () => {
  test("has none of what is marked with it, in the form that a formatter gives it", () => {
    expect(withoutParts(source, new Set(["y"]))).toBe(`import { a } from "./a.ts";

interface One {
  kept: string;
  either: string;
}

class Two {
  constructor(first: string) {}

  kept(): void {
    switch (first) {
      default:
        a();
    }
  }
}
`);
  });

  test("is all of it but for the marks, where nothing is left out", () => {
    const unmarked = source.replaceAll(/^ *\/\/ @part .*\n/gm, "");
    const unfolded = withoutParts(source, new Set(["x"]))
      .replace("(first: string, second: string)", "(\n    first: string,\n    second: string,\n  )")
      .replace("gone(first: string):", "gone(\n    first: string,\n  ):");
    expect(unfolded).toBe(unmarked);
  });

  test("is the same source where nothing is marked", () => {
    expect(withoutParts("const a = [\n  1,\n];\n", new Set())).toBe("const a = [\n  1,\n];\n");
  });
});

test("every mark names parts that layers know, and every part is marked somewhere", () => {
  const files = ["runtime", "generated"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const texts = files.filter((path) => path.endsWith(".ts")).map((path) => readFileSync(path, "utf8"));
  const marks = texts.flatMap((text) =>
    [...text.matchAll(/@part (.+)$/gm)].flatMap(([, names = ""]) => names.split(", ")),
  );
  expect(new Set(marks)).toEqual(new Set(parts));
});

const ids = revisions.map(({ id }) => id);

const offers: readonly (readonly Offering[])[] = [
  ["tools"],
  ["tools", "changes"],
  ["tools", "questions"],
  ["tools", "tasks"],
  ["tools", "resources", "prompts"],
  ["tools", "resources", "skills", "ui"],
];

const oldest = ids.slice(-1);
const newest = ids.slice(0, 1);

/** Each of what may be offered at the oldest, the newest and all revisions; tools at the others, at two of one kind, and over HTTP. */
const layers: readonly Partial<LayerChoices>[] = [
  ...[oldest, newest, ids].flatMap((chosen) => offers.map((offered) => ({ revisions: chosen, offers: offered }))),
  ...[...ids.slice(1, -1).map((id) => [id]), ids.slice(-2)].map((chosen) => ({ revisions: chosen })),
  ...[oldest, newest, ids].map((chosen) => ({ revisions: chosen, transports: ["http"] as const })),
];

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(resolve("test/create/tmp-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function write(path: string, choices: Partial<LayerChoices>): void {
  const usual = { revisions: ids, offers: ["tools"], transports: ["stdio"], client: false, validator: false } as const;
  for (const [name, text] of emitOwnLayer({ ...usual, auth: "none", ...choices })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
}

const settings = { lib: ["ES2023"], types: ["node"], skipLibCheck: true };

test("whatever is left out of a layer, the rest compiles under the strictest settings", async () => {
  for (const [place, choices] of layers.entries()) write(join(folder, "all", String(place)), choices);
  const files = [join(folder, "all/**/*.ts")];
  // The faster compiler sees all of them, the other one a few: they agree on what is unused and what is missing.
  expect(await compile("typescript7", { folder, files, settings })).toEqual([]);
  const few = [0, offers.length].map((place) => join(folder, `all/${String(place)}/**/*.ts`));
  expect(await compile("typescript", { folder, files: few, settings })).toEqual([]);
});

describe("what a project was made without is a compile error that says how to get it", () => {
  const program = (fields: string, more = ""): string =>
    `import { defineServer } from "./index.ts";\nexport const server = defineServer({ name: "s", version: "1", ${fields} });\n${more}`;
  const wrong = {
    listChanged: { code: program("listChanged: true"), says: "npx create-mcp-server update --serve tools,changes" },
    add: {
      code: program("", 'server.tools.add({ name: "t", execute: () => "" });\n'),
      says: `Type 'Unavailable<"this project was made without changes: npx create-mcp-server update --serve tools,changes">' has no call signatures`,
    },
    resources: { code: program("resources: []"), says: "npx create-mcp-server add resource <name>" },
    prompts: { code: program("prompts: []"), says: "npx create-mcp-server add prompt <name>" },
    task: {
      code: program('tools: [defineTool({ name: "t", task: true, execute: () => "" })]').replace(
        "defineServer",
        "defineServer, defineTool",
      ),
      says: "npx create-mcp-server update --serve tools,tasks",
    },
    cacheHints: { code: program("cacheHints: {}"), says: `revision ${ids[1]} has no caching` },
  };

  test.each(compilers)("by %s", async (compiler) => {
    const path = join(folder, compiler);
    write(path, { revisions: ids.slice(1, 2) });
    for (const [name, { code }] of Object.entries(wrong)) writeFileSync(join(path, `${name}.ts`), code);
    const lines = (await compile(compiler, { folder, files: [join(path, "*.ts")], settings })).join("\n");
    for (const [name, { says }] of Object.entries(wrong)) {
      expect(lines).toContain(`${name}.ts(`);
      expect(lines).toContain(says);
    }
  });

  test.each(compilers)("and none for who has it, by %s", async (compiler) => {
    const path = join(folder, `${compiler}-changes`);
    write(path, { revisions: ids.slice(1, 2), offers: ["tools", "changes"] });
    writeFileSync(
      join(path, "right.ts"),
      program("listChanged: true", 'server.tools.add({ name: "t", execute: () => "" });\n'),
    );
    expect(await compile(compiler, { folder, files: [join(path, "*.ts")], settings })).toEqual([]);
  });
});
