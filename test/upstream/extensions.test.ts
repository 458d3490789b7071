import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toJsonSchema, type JsonSchema } from "../oracle/json-schema.ts";
import { hashText } from "../../generator/internal/files.ts";
import { capitalize } from "../../generator/internal/text.ts";
import type { ExtensionModel } from "../../generator/model.ts";
import type { ExtensionOverlay } from "../../generator/model/overlay.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { readExtension } from "../../generator/read/extension.ts";
import { isObject } from "../../generated/support.ts";
import { serve } from "../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../runtime/transport/memory.ts";
import { compareSchemas, type Difference } from "../oracle/compare.ts";
import { converseExtended } from "../oracle/exactness/extension-converse.ts";
import { createExtensionJudge } from "../oracle/exactness/extension-judge.ts";
import { createValidators } from "../oracle/official-validators.ts";
import { createExtendedServer } from "../oracle/exactness/extension-server.ts";
import { invalidMessages, validMessages } from "../runtime/server/apps/ui-samples.ts";
import { statelessRevision } from "../kit/revisions.ts";

/*
 * The declarations of the authors of extensions, and the JSON Schemas that they generate from them, which are not part of this project:
 * MCP_UPSTREAM_DIR names a folder with extensions/tasks/schema.ts and schema.json of the pinned commit (ext-tasks), and extensions/ui/schema.json
 * (the package ext-apps has it as dist/src/generated/schema.json). The release v0.1.0 of ext-skills has extensions/skills/schema.json as an asset.
 */

const folder = await openSpecFolder("spec");
const core = await folder.readModel(statelessRevision.id);

function readUpstreamFile(path: string): string {
  const upstream = process.env.MCP_UPSTREAM_DIR;
  if (upstream !== undefined) return readFileSync(join(upstream, "extensions", path), "utf8");
  throw new Error("Set MCP_UPSTREAM_DIR to a folder with extensions/tasks and extensions/ui.");
}

function hasUpstreamFile(path: string): boolean {
  return existsSync(join(process.env.MCP_UPSTREAM_DIR ?? "", "extensions", path));
}

function readUpstream(name: string): JsonSchema {
  const value: unknown = JSON.parse(readUpstreamFile(`${name}/schema.json`));
  const plain = toPlain(value);
  if (isObject(plain)) return plain;
  throw new Error(`The schema of ${name} is not an object; fetch it again.`);
}

/** Without what their generator adds and no declaration says: a dialect everywhere, that keys are strings, and the bounds of exact integers. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value;
  const said = Object.entries(value).filter(([keyword, given]) => !isStrayData(keyword, given));
  return Object.fromEntries(said.map(([keyword, given]) => [keyword, toPlain(given)]));
}

function isStrayData(keyword: string, value: unknown): boolean {
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

it("the official schema of tasks has the pinned hash, and is read as it is", () => {
  const text = readUpstreamFile("tasks/schema.ts");
  expect(hashText(text)).toBe(folder.extensions.get("tasks")?.sha256);
  const clause = "https://modelcontextprotocol.io/seps/2663-tasks-extension";
  const requests = ["tasks/get", "tasks/update", "tasks/cancel"];
  const methods = {
    ...Object.fromEntries(requests.map((name) => [name, { clause, senders: ["client"] as const }])),
    "notifications/tasks": { clause, senders: ["server"] as const },
  };
  const settings = "TasksExtensionCapability";
  const value: ExtensionOverlay = {
    id: "io.modelcontextprotocol/tasks",
    lifecycles: { clause, kinds: ["per-request"] },
    declared: { clause, client: settings, server: settings },
    methods,
  };
  const schema = { path: "schema.ts", text };
  const tasks = readExtension({
    name: "tasks",
    status: "released",
    schema,
    overlay: { path: "overlay.json", value },
    core,
  });
  expect(tasks.methods.map(({ name }) => name)).toEqual(Object.keys(methods));
  expect(
    compare(
      readUpstream("tasks"),
      tasks,
      tasks.declarations.map(({ name }) => name),
    ),
  ).toEqual([]);
});

it("tasks are declared as upstream declares them, but for the rules of the overlay", async () => {
  const tasks = await folder.readExtension("tasks", core);
  const names = tasks.declarations.map(({ name }) => name);
  expect(compare(readUpstream("tasks"), tasks, names)).toEqual([
    // Metadata that the base of all params has is put back (`mergeMeta`).
    { at: "GetTaskRequest.params._meta", ...absent },
    // The sender of a request checks its response (`unchecked`).
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

// The first comparison shows what differs; then the pin moves to the release.
it.skipIf(!hasUpstreamFile("skills/schema.json"))(
  "skills are declared as their release v0.1.0 declares them (skipped without its files, which could not be fetched so far)",
  async () => {
    const skills = await folder.readExtension("skills", core);
    const names = skills.declarations.map(({ name }) => name);
    expect(compare(readUpstream("skills"), skills, names)).toEqual([]);
  },
);

it("every message about tasks is valid against upstream's own schema", async () => {
  const [near, far] = createInMemoryTransports();
  serve(createExtendedServer(), far);
  const judge = await createExtensionJudge(["tasks"], { tasks: readUpstream("tasks") });
  const { problems, used } = judge.judge(await converseExtended(near, statelessRevision));
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

it("messages between a view and its host are valid and invalid as for the package of the authors", () => {
  const { $defs } = readUpstream("ui");
  const isValid = ([method, params]: readonly [string, unknown, ...unknown[]]): boolean => {
    const name = toUpstreamName(method);
    const schema = isObject($defs) ? $defs[name] : undefined;
    // A definition refers to its own definitions as if it were a file.
    const own = isObject(schema) && isObject(schema.$defs) ? schema.$defs : {};
    return createValidators({ $defs: { ...own, [name]: schema } })(name)({ method, params });
  };
  expect(validMessages.filter((sample) => !isValid(sample)).map(([method]) => method)).toEqual([
    // The package sends lists only; the text has one value.
    "ui/message",
    // The package knows no reason.
    "ui/resource-teardown",
    // The schema of the package requires every variable, which its types do not.
    "ui/notifications/host-context-changed",
  ]);
  expect(invalidMessages.filter(isValid)).toEqual([]);
});

/** Upstream's declaration of a message, such as `McpUiToolInputNotification`. */
function toUpstreamName(method: string): string {
  const isNotification = method.startsWith("ui/notifications/");
  const words = method.split("/").at(-1)?.split("-").map(capitalize) ?? [];
  return `McpUi${words.join("")}${isNotification ? "Notification" : "Request"}`;
}
