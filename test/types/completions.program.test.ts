import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { emitLayer } from "../../generator/scaffold/layer/emit-layer.ts";
import { linkPackages, models, writeFiles } from "../kit/projects.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { openEditor } from "./editor.ts";

/* An editor proposes the members that a definition has, and none that are declared only to explain a mistake. */

/** Definitions, with the members that an editor proposes at the cursor `|`, and those that it does not. */
const definitions = [
  {
    definer: "defineTool",
    code: `m.defineTool({ name: "t", | })`,
    members: ["execute", "inputSchema", "outputSchema", "description", "visible"],
    others: ["handler", "parameters", "run", "input", "output"],
  },
  {
    definer: "defineTool with a half-written member",
    code: `m.defineTool({ name: "t", inputSchema: city, execute: ({ city }) => city, ha| })`,
    members: ["outputSchema", "render"],
    others: ["handler"],
  },
  {
    definer: "defineResource",
    code: `m.defineResource({ name: "r", | })`,
    members: ["uri", "read", "mimeType"],
    others: ["load", "handler", "url"],
  },
  {
    definer: "defineResourceTemplate",
    code: `m.defineResourceTemplate({ name: "r", uriTemplate: "a://{b}", | })`,
    members: ["read", "list", "complete"],
    others: ["load", "handler", "url"],
  },
  {
    definer: "definePrompt",
    code: `m.definePrompt({ name: "p", | })`,
    members: ["arguments", "get"],
    others: ["load", "handler", "argsSchema", "args"],
  },
  {
    definer: "the output of a tool",
    code: `m.defineTool({ name: "t", outputSchema: warmth, execute: async () => ({ | }) })`,
    members: ["degrees"],
    others: ["then", "[remedy]"],
  },
  {
    definer: "a tool in a list",
    code: `m.defineServer({ name: "s", version: "1", tools: [{ | }] })`,
    members: ["name", "execute"],
    others: ["handler", "parameters"],
  },
].map((definition, at) => ({ ...definition, file: `case-${at}.ts` }));

const head = `import * as z from "zod";
import * as m from "./mcp/index.ts";
export const city = z.object({ city: z.string() });
export const warmth = z.object({ degrees: z.number() });
export const made = `;

const root = await createTemporaryFolder("completions");
const editor = openEditor(definitions.map(({ file }) => join(root, file)));

beforeAll(async () => {
  linkPackages(root, ["zod"]);
  const layer = await emitLayer(
    {
      revisions: ["2026-07-28"],
      features: ["tools", "resources", "prompts", "input"],
      transports: ["stdio"],
      client: false,
      validator: false,
      auth: "none",
    },
    models,
  );
  writeFiles(root, [["package.json", `{ "type": "module" }`]]);
  writeFiles(join(root, "mcp"), layer);
  // All texts change at once: the editor checks everything again after a change.
  for (const { file, code } of definitions) editor.write(join(root, file), head + code.replace("|", ""));
});

test.each(definitions)("an editor proposes the members of $definer", ({ file, code, members, others }) => {
  const proposed = editor.completionsAt(join(root, file), head.length + code.indexOf("|"));
  expect(proposed).toEqual(expect.arrayContaining(members));
  expect(proposed.filter((name) => others.some((other) => other === name))).toEqual([]);
});
