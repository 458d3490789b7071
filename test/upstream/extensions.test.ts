import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toJsonSchema, type JsonSchema } from "../oracle/json-schema.ts";
import type { ExtensionModel } from "../../generator/model.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { isObject } from "../../generated/support.ts";
import { serve } from "../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import { compareSchemas, type Difference } from "../oracle/compare.ts";
import { converseExtended } from "../oracle/exactness/extension-converse.ts";
import { createExtensionJudge } from "../oracle/exactness/extension-judge.ts";
import { createExtendedServer } from "../oracle/exactness/extension-server.ts";
import { alone } from "../runtime/lifecycle/stateless.ts";

/*
 * The JSON Schemas that the authors of extensions generate from their declarations, which are not part of this project: MCP_UPSTREAM_DIR names a
 * folder with extensions/tasks/schema.json of the pinned commit (ext-tasks), and extensions/ui/schema.json (the package ext-apps has it as
 * dist/src/generated/schema.json). Skills are specified in prose alone: there is nothing to compare with.
 */

const folder = await openSpecFolder("spec");
const core = await folder.readModel(alone.id);

function readUpstream(name: string): JsonSchema {
  const upstream = process.env.MCP_UPSTREAM_DIR;
  if (upstream === undefined) {
    throw new Error(
      "Set MCP_UPSTREAM_DIR to a folder with extensions/tasks/schema.json and extensions/ui/schema.json.",
    );
  }
  const value: unknown = JSON.parse(readFileSync(join(upstream, "extensions", name, "schema.json"), "utf8"));
  const plain = toPlain(value);
  if (isObject(plain)) return plain;
  throw new Error(`The schema of ${name} is not an object; fetch it again.`);
}

/** Without what their generator adds and no declaration says: a dialect everywhere, that keys are strings, and the bounds of exact integers. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  const said = Object.entries(value).filter(([keyword, given]) => !isNoise(keyword, given));
  return Object.fromEntries(said.map(([keyword, given]) => [keyword, toPlain(given)]));
}

function isNoise(keyword: string, value: unknown): boolean {
  if (keyword === "$schema") return true;
  if (keyword === "propertyNames") return JSON.stringify(value) === '{"type":"string"}';
  const bounds: readonly unknown[] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return (keyword === "minimum" || keyword === "maximum") && bounds.includes(value);
}

function compare(official: JsonSchema, { scope }: ExtensionModel, names: readonly string[]): readonly Difference[] {
  return compareSchemas(official, toJsonSchema({ declarations: scope }), names);
}

const absent = { official: "absent", ours: "declared" };
const more = { official: "declared", ours: "absent" };

it("tasks are declared as upstream declares them, but for the rules of the overlay", async () => {
  const tasks = await folder.readExtension("tasks", core);
  const names = tasks.declarations.map(({ name }) => name);
  expect(compare(readUpstream("tasks"), tasks, names)).toEqual([
    // Metadata that the base of all params has is put back (`mergeMeta`).
    { at: "GetTaskRequest.params._meta", ...absent },
    // Answers are checked by who has asked (`unchecked`).
    { at: "UpdateTaskRequest.params.inputResponses.*", ...more },
    { at: "UpdateTaskRequest.params._meta", ...absent },
    // A peer may leave it out (`tolerances`); it is always sent.
    { at: "UpdateTaskResult.resultType", official: "required", ours: "optional" },
    { at: "CancelTaskRequest.params._meta", ...absent },
    { at: "CancelTaskResult.resultType", official: "required", ours: "optional" },
    // Settings of later versions are no mistake.
    { at: "TasksExtensionCapability.*", ...more },
  ]);
});

it("every message about tasks is valid against upstream's own schema", async () => {
  const [near, far] = createInMemoryTransports();
  serve(createExtendedServer(), far);
  const judge = await createExtensionJudge(["tasks"], { tasks: readUpstream("tasks") });
  const { problems, used } = judge.judge(await converseExtended(near, alone));
  expect(problems).toEqual([]);
  expect(used).toContain("notifications/tasks");
  expect(used).toContain("tools/call task");
});

it("views are declared as upstream declares them, which closes every object and leaves MIME types to prose", async () => {
  const ui = await folder.readExtension("ui", core);
  const names: Readonly<Record<string, string>> = {
    UiExtensionCapability: "McpUiClientCapabilities",
    UiToolVisibility: "McpUiToolVisibility",
    UiToolMeta: "McpUiToolMeta",
    UiResourceCsp: "McpUiResourceCsp",
    UiResourcePermissions: "McpUiResourcePermissions",
    UiResourceMeta: "McpUiResourceMeta",
  };
  const { $defs } = readUpstream("ui");
  const theirs = Object.entries(names).map(([own, other]) => [own, isObject($defs) ? $defs[other] : undefined]);
  const found = compare({ $defs: Object.fromEntries(theirs) }, ui, Object.keys(names));
  expect(found.filter(({ at }) => !at.endsWith(".*"))).toEqual([
    { at: "UiExtensionCapability.mimeTypes", official: "optional", ours: "required" },
    { at: "UiToolMeta.resourceUri", official: "string", ours: 'format "uri" & string' },
    // Upstream names both to forbid them.
    { at: "UiToolMeta.csp", ...more },
    { at: "UiToolMeta.permissions", ...more },
  ]);
  for (const { official, ours } of found.filter(({ at }) => at.endsWith(".*")))
    expect({ official, ours }).toEqual(more);
});
