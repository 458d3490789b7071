import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { LayerChoices } from "../../generator/scaffold/layer/choices.ts";
import { emitLayer } from "../../generator/scaffold/layer/emit-layer.ts";
import { allRevisions, linkPackages, models, writeFiles } from "../kit/projects.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { openEditor } from "./editor.ts";

/* An editor shows a sentence for each member of the contexts that handlers receive, at every revision. */

/** Functions with a context that a test destructures: `CONTEXT` stands for the pattern. */
const handlers: Readonly<Record<string, string>> = {
  "the context of a tool": `m.defineTool({ name: "t", execute: (_args, CONTEXT) => "" })`,
  "the context of a prompt": `m.definePrompt({ name: "p", get: (_args, CONTEXT) => "" })`,
  "the context of a resource": `m.defineResource({ name: "r", uri: "a://b", read: (_uri, CONTEXT) => "" })`,
  "the context of a template": `m.defineResourceTemplate({ name: "r", uriTemplate: "a://{b}", read: (_, CONTEXT) => "" })`,
  "the context of a completion": `m.defineResourceTemplate({ name: "r", uriTemplate: "a://{b}", complete: { b: (_, CONTEXT) => [] }, read: () => "" })`,
  "the sender of a request": `m.defineTool({ name: "t", visible: (CONTEXT) => true, execute: () => "" })`,
  "a client": `m.defineTool({ name: "t", execute: (_args, { client: CONTEXT }) => "" })`,
  "a principal": `m.defineTool({ name: "t", visible: ({ auth }) => (auth ? [auth] : []).every((CONTEXT) => true), execute: () => "" })`,
  "a request in middleware": `m.defineServer({ name: "s", version: "1", middleware: [(CONTEXT, next) => next()] })`,
  "the context of a request in middleware": `m.defineServer({ name: "s", version: "1", middleware: [({ context: CONTEXT }, next) => next()] })`,
  "the context of sampling": `m.createClient({ info, sampling: { createMessage: (_params, CONTEXT) => { throw new Error(); } } })`,
  "the context of roots": `m.createClient({ info, roots: (CONTEXT) => [] })`,
};

/** Further functions of the revisions that have elicitation. */
const elicitation: Readonly<Record<string, string>> = {
  "the context of a form": `m.createClient({ info, elicitation: { form: (_params, CONTEXT) => ({ action: "cancel" }) } })`,
};

const head = `import * as m from "./mcp/index.ts";\nexport const info = { name: "c", version: "1" };\nexport const made = `;

const choices: Omit<LayerChoices, "revisions"> = {
  features: ["tools", "resources", "prompts", "input"],
  transports: ["stdio"],
  client: true,
  validator: false,
  auth: "none",
};

const root = await createTemporaryFolder("hover");

/** Each function at each revision that has it. */
const cases = allRevisions.flatMap((revision) => {
  const hasElicitation = revision >= "2025-06-18";
  return Object.entries({ ...handlers, ...(hasElicitation && elicitation) }).map(([name, code], at) => ({
    revision,
    name,
    code,
    file: join(root, revision, `case-${at}.ts`),
  }));
});

const editor = openEditor(cases.map(({ file }) => file));
/** Names of the members of each context, by file. */
const found = new Map<string, readonly string[]>();

// All texts change at once: the editor reads and checks everything again after a change.
beforeAll(async () => {
  linkPackages(root);
  writeFiles(root, [["package.json", `{ "type": "module" }`]]);
  for (const revision of allRevisions) {
    writeFiles(join(root, revision, "mcp"), await emitLayer({ ...choices, revisions: [revision] }, models));
  }
  for (const { file, code } of cases) editor.write(file, head + code.replace("CONTEXT", "{}"));
  for (const { file, code } of cases) found.set(file, editor.membersAt(file, head.length + code.indexOf("CONTEXT")));
  for (const { file, code } of cases)
    editor.write(file, head + code.replace("CONTEXT", `{ ${found.get(file)?.join(", ")} }`));
});

test.each(allRevisions)("%s", (revision) => {
  const silent = cases
    .filter((each) => each.revision === revision)
    .flatMap(({ name, code, file }) => {
      const members = found.get(file) ?? [];
      expect(members, name).not.toEqual([]);
      const opening = head.length + code.indexOf("CONTEXT") + 2;
      const positions = members.map((_, index) => opening + members.slice(0, index).join(", ").length + (index && 2));
      return members.flatMap((member, index) => {
        const text = editor.hoverAt(file, positions[index] ?? 0);
        return /^[A-Z`][^]*[.)`]$/.test(text) ? [] : [`${name}: ${member}: ${text}`];
      });
    });
  expect(silent).toEqual([]);
});
