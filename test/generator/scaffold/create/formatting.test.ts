import * as formatter from "prettier/standalone";
import { beforeEach, expect, test, vi } from "vitest";
import * as formatting from "../../../../generator/internal/format.ts";
import type { SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
import { allRevisions, emitFiles } from "../../../kit/projects.ts";

vi.mock("prettier/standalone", async (load) => {
  const original = await load<typeof formatter>();
  return { ...original, format: vi.fn(original.format) };
});

vi.mock(import("../../../../generator/internal/format.ts"), async (load) => {
  const original = await load();
  return { ...original, formatRendered: vi.fn(original.formatRendered) };
});

beforeEach(() => vi.clearAllMocks());

const usual: readonly SelectionText[] = [{}, { features: "all" }, { features: "tools" }, { client: true }];

test.each(usual)(
  "a usual project (%j) is created without the formatter: to load it takes most of the time",
  async (selection) => {
    await emitFiles({ selection });
    expect(vi.mocked(formatter.format)).not.toHaveBeenCalled();
  },
);

test("a usual project of the latest or of an older revision is created without the formatter", async () => {
  for (const id of [allRevisions[0], allRevisions.at(-1)]) await emitFiles({ revisions: [id ?? ""] });
  expect(vi.mocked(formatter.format)).not.toHaveBeenCalled();
});

test("a long line of a template is formatted, and a long comment is not", async () => {
  const call = `call(${Array.from({ length: 20 }, (_none, index) => `argument${index}`).join(", ")});\n`;
  expect(await formatting.formatRendered(call)).toBe(await formatting.formatTypeScript(call));
  vi.clearAllMocks();
  const comment = `// ${"word ".repeat(40)}end\ncall();\n`;
  expect(await formatting.formatRendered(comment)).toBe(comment);
  expect(vi.mocked(formatter.format)).not.toHaveBeenCalled();
});

const schemas = ["zod", "valibot", "arktype", "json"] as const;
const targets = ["worker", "lambda", "vercel", "deno", "bun"] as const;
const mounts = ["express", "fastify", "hono", "next"] as const;

const selections: readonly SelectionText[] = [
  ...schemas.map((schema) => ({ schema, features: "all", transport: "http" })),
  { schema: "json", features: "all" },
  { features: "tools,prompts,input", transport: "both", auth: "oauth", scale: "redis", extras: "otel" },
  { features: "tools,resources", transport: "stdio,websocket,tcp", extras: "otel" },
  { transport: "http", provider: "keycloak" },
  ...mounts.map((mount) => ({ mount, auth: "api-key" })),
  ...targets.map((target) => ({ target, features: "all", auth: "oauth" })),
];

test.each(selections)("templates are written as the formatter writes, for %j", async (selection) => {
  await emitFiles({ selection, revisions: allRevisions.slice(0, 1) });
  const { calls, results } = vi.mocked(formatting.formatRendered).mock;
  expect(calls.length).toBeGreaterThan(0);
  for (const [at, [text]] of calls.entries())
    expect(await results[at]?.value).toBe(await formatting.formatTypeScript(text));
});
