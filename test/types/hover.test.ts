import { join } from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import type { LayerChoices } from "../../generator/scaffold/layer/choices.ts";
import { emitLayer } from "../../generator/scaffold/layer/emit-layer.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { allRevisions, linkPackages, models, writeFiles } from "../generator/project.ts";
import { createTemporaryFolder } from "../temporary-folder.ts";

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

beforeAll(async () => {
  linkPackages(root);
  writeFiles(root, [["package.json", `{ "type": "module" }`]]);
  for (const revision of allRevisions) {
    writeFiles(join(root, revision, "mcp"), await emitLayer({ ...choices, revisions: [revision] }, models));
  }
}, 120_000);

test.each(allRevisions)("%s", { timeout: 120_000 }, (revision) => {
  const hasElicitation = revision >= "2025-06-18";
  const cases = Object.entries({ ...handlers, ...(hasElicitation && elicitation) });
  const editor = openEditor(cases.map((_, at) => join(root, revision, `case-${at}.ts`)));
  const silent = cases.flatMap(([name, code], at) => {
    const file = join(root, revision, `case-${at}.ts`);
    editor.write(file, head + code.replace("CONTEXT", "{}"));
    const members = editor.membersAt(file, head.length + code.indexOf("CONTEXT"));
    expect(members, name).not.toEqual([]);
    editor.write(file, head + code.replace("CONTEXT", `{ ${members.join(", ")} }`));
    const opening = head.length + code.indexOf("CONTEXT") + 2;
    const positions = members.map((_, index) => opening + members.slice(0, index).join(", ").length + (index && 2));
    return members.flatMap((member, index) => {
      const text = editor.hoverAt(file, positions[index] ?? 0);
      return /^[A-Z`][^]*[.)`]$/.test(text) ? [] : [`${name}: ${member}: ${text}`];
    });
  });
  expect(silent).toEqual([]);
});

interface Editor {
  write(file: string, text: string): void;
  /** Names of the members of the value that the pattern at a position takes apart. */
  membersAt(file: string, position: number): readonly string[];
  /** Sentence that is shown at a position. */
  hoverAt(file: string, position: number): string;
}

function openEditor(files: readonly string[]): Editor {
  const texts = new Map<string, { readonly text: string; readonly version: number }>();
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
  };
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files],
    getScriptVersion: (file) => String(texts.get(file)?.version ?? 0),
    getScriptSnapshot: (file) => {
      const text = texts.get(file)?.text ?? ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    fileExists: (file) => texts.has(file) || ts.sys.fileExists(file),
    readFile: (file, encoding) => texts.get(file)?.text ?? ts.sys.readFile(file, encoding),
    getCurrentDirectory: () => packageRoot,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return {
    write: (file, text) => void texts.set(file, { text, version: (texts.get(file)?.version ?? 0) + 1 }),
    membersAt(file, position) {
      const program = service.getProgram();
      const source = program?.getSourceFile(file);
      const pattern = source && findPattern(source, position);
      const checker = program?.getTypeChecker();
      if (!pattern || !checker) return [];
      const contextual = checker.getTypeAtLocation(pattern.parent);
      return contextual.getProperties().map(({ name }) => name);
    },
    hoverAt: (file, position) =>
      ts.displayPartsToString(service.getQuickInfoAtPosition(file, position)?.documentation ?? []).trim(),
  };
}

function findPattern(source: ts.SourceFile, position: number): ts.ObjectBindingPattern | undefined {
  let found: ts.ObjectBindingPattern | undefined;
  const visit = (node: ts.Node): void => {
    if (ts.isObjectBindingPattern(node) && node.getStart(source) === position) found = node;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
