import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { ExtensionModel, RevisionModel } from "../../../generator/model.ts";
import { createExtensionOverlayReader } from "../../../generator/read/overlay.ts";
import { readExtension } from "../../../generator/read/extension.ts";
import { readSpecModels } from "../../../generator/read/spec-models.ts";
import { checkExtensionNames, findGoneNames } from "../../../generator/model/gone-names.ts";
import { usedNames, type Named, type NameSections } from "../../../generator/model/names.ts";
import { readToy } from "../conversions/toy-revisions.ts";

const names: NameSections = {
  methods: { "do/it": "DoRequest" },
  values: [{ at: "Level", values: ["low"] }],
  members: [
    { of: "Params", members: ["a", "inner.b"] },
    { of: "Gone", members: ["c", "d"] },
  ],
  knownMembers: [],
  declarations: ["Level"],
  meta: [
    { on: "request", key: "token" },
    { on: "request", type: "string", required: true },
  ],
  headers: ["X-Session"],
  errors: [{ name: "unreadable", code: -1 }, { name: "busy" }],
};

const declarations = `
export interface Params { a: Level; inner?: { b?: string } }
export type Level = "low" | "high";
export interface Gone { c: string; d: string }
`;

const rules: Named["rules"] = {
  errors: [
    { name: "unreadable", code: -1, emitted: true },
    { name: "busy", code: -2, emitted: true },
  ],
  headers: [{ name: "X-Session", source: "session", required: true }],
  reservedMeta: [
    { key: "token", on: "request", type: "Token", required: false },
    { key: "version", on: "request", type: "string", required: true },
  ],
};

function named(text: string, changed: Partial<Named["rules"]> = {}): Named {
  return { ...readToy("2001-01-01", text), rules: { ...rules, ...changed } };
}

function compare(after: Named, removed: readonly string[] = []): object {
  return findGoneNames(usedNames(names), { before: named(declarations), after, removed });
}

describe("names that code uses", () => {
  test("an equal revision has lost no name", () => {
    expect(compare(named(declarations))).toEqual({ lost: [], stale: [] });
  });

  test.each<[what: string, after: () => Named, lost: string]>([
    ["a value with another name", () => named(declarations.replace('"low"', '"lower"')), "Level:low"],
    ["a member with another name", () => named(declarations.replace("a: Level", "z: Level")), "Params.a"],
    ["a member within another", () => named(declarations.replace("b?: string", "")), "Params.inner.b"],
    ["a declaration with all of its members", () => named(declarations.replace("Gone", "Here")), "Gone"],
    ["an error with another code", () => named(declarations, { errors: rules.errors.slice(1) }), "unreadable"],
    ["a header", () => named(declarations, { headers: [] }), "X-Session"],
    ["a key of _meta", () => named(declarations, { reservedMeta: rules.reservedMeta.slice(1) }), "request._meta.token"],
    [
      "a key of _meta that is no longer required",
      () => named(declarations, { reservedMeta: rules.reservedMeta.map((meta) => ({ ...meta, required: false })) }),
      "request._meta:string",
    ],
    ["a method", () => ({ ...named(declarations), methods: [] }), "do/it"],
    ["a method of another type", () => ({ ...named(declarations), methods: [{ name: "do/it", type: "X" }] }), "do/it"],
  ])("%s is lost until it is removed", (_what, after, lost) => {
    expect(compare(after())).toEqual({ lost: [lost], stale: [] });
    expect(compare(after(), [lost])).toEqual({ lost: [], stale: [] });
  });

  test("a removed name that is declared, or that no code uses, is stale", () => {
    const without = named(declarations.replace("Gone", "Here"));
    expect(compare(without, ["Gone", "Params", "Level", "no/such", "X-Session"])).toEqual({
      lost: [],
      stale: ["Params", "Level", "no/such", "X-Session"],
    });
  });
});

describe("names of extensions that code uses", () => {
  let core: RevisionModel | undefined;
  beforeAll(async () => {
    core = (await readSpecModels()).models.at(-1);
  }, 120_000);

  /** Reads an extension whose files are changed. */
  function readChanged(name: string, change: (text: string) => string): ExtensionModel {
    if (!core) throw new Error("There is no revision to read an extension with.");
    const read = (path: string): { readonly path: string; readonly text: string } => {
      return { path: `spec/${path}`, text: readFileSync(`spec/${path}`, "utf8") };
    };
    const [schema, overlay] = [read(`extensions/${name}/schema.ts`), read(`extensions/${name}/overlay.json`)];
    const readOverlay = createExtensionOverlayReader({
      schema: read("overlay.schema.json").text,
      extensionSchema: read("extension.schema.json").text,
    });
    return readExtension({
      name,
      status: "draft",
      schema: { ...schema, text: change(schema.text) },
      overlay: { path: overlay.path, value: readOverlay({ ...overlay, text: change(overlay.text) }) },
      core,
    });
  }

  test.each([
    ["a value", "tasks", '"working"', '"running"', "TaskStatus:working"],
    ["the kind of a result", "tasks", 'resultType: "task"', 'resultType: "tasks"', "CreateTaskResult.resultType:task"],
    ["a member", "tasks", "ttlMs", "ttl", "Task.ttlMs"],
    ["a member of params", "tasks", "inputResponses", "responses", "UpdateTaskRequest.params.inputResponses"],
    ["a member of a filter", "tasks", "taskIds?", "ids?", "TaskSubscriptionNotifications.taskIds"],
    ["a method", "tasks", '"tasks/update"', '"tasks/change"', "tasks/update"],
    ["a value of a union", "skills", '"dynamic"', '"varying"', "Skill.resources:dynamic"],
    ["a declaration", "ui", "UiResourceCsp", "UiCsp", "UiResourceCsp"],
    ["a setting", "ui", "mimeTypes: ", "types: ", "UiExtensionCapability.mimeTypes"],
  ])("generation stops at an extension that has lost %s", (_what, name, before, after, lost) => {
    const check = (change: (text: string) => string): void => checkExtensionNames([readChanged(name, change)]);
    expect(() => check((text) => text)).not.toThrow();
    expect(() => check((text) => text.replaceAll(before, after))).toThrow(
      `spec/extensions/${name}/schema.ts: names that code uses are not declared by the extension; ` +
        `restore them, or remove the extension from pins.json:\n  ${lost}`,
    );
  });
});
