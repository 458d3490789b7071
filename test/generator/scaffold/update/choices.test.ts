import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandsOf } from "../../../../generator/scaffold/create/package-manager.ts";
import type { LayerChoices } from "../../../../generator/scaffold/layer/choices.ts";
import { describeChoices, isLess, toChoices, type Wish } from "../../../../generator/scaffold/update/choices.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

const old: LayerChoices = {
  revisions: ["2025-11-25", "2025-06-18"],
  features: ["tools", "resources"],
  transports: ["stdio", "http"],
  client: false,
  validator: true,
  auth: "none",
};
const catalogue = ["2026-07-28", "2025-11-25", "2025-06-18"].map((id) => ({
  id,
  status: "released" as const,
  isStateless: false,
}));

describe("the choices of an updated layer", () => {
  test.each<readonly [what: string, from: Partial<LayerChoices>, wish: Wish, to: Partial<LayerChoices>]>([
    ["no wish", {}, {}, {}],
    ["an engine of its own", { scale: "redis" }, {}, { scale: "redis" }],
    ["other revisions", {}, { protocol: "2026-07-28" }, { revisions: ["2026-07-28"] }],
    ["other features", {}, { features: "tools,tasks" }, { features: ["tools", "tasks"] }],
    ["another transport", {}, { transport: "http" }, { transports: ["http"] }],
    ["a client", {}, { client: true }, { client: true }],
    ["no client", { client: true }, { client: false }, { client: false }],
    ["another engine", { scale: "redis" }, { scale: "nats" }, { scale: "nats" }],
    ["an engine over HTTP alone", { transports: ["http"] }, { scale: "nats" }, { scale: "nats" }],
  ])("the choices with %s are the former ones but for that", (_what, from, wish, to) => {
    const before = { ...old, ...from };
    expect(toChoices(before, wish, catalogue)).toEqual({ ...before, ...to });
  });

  test("the choices without an engine name none", () => {
    expect(toChoices({ ...old, scale: "redis" }, { scale: "none" }, catalogue)).toEqual(old);
  });

  test.each<readonly [transports: LayerChoices["transports"], problem: string]>([
    [["worker"], "nodes that share an engine are processes of Node"],
    [["stdio"], "several nodes serve over HTTP only"],
  ])("the choices over %j cannot have an engine", (transports, problem) => {
    expect(() => toChoices({ ...old, transports }, { scale: "redis" }, catalogue)).toThrow(problem);
  });
});

test.each<readonly [what: string, before: Partial<LayerChoices>, after: Partial<LayerChoices>, expected: boolean]>([
  ["nothing else", {}, {}, false],
  [
    "more of each",
    {},
    { revisions: ["2026-07-28", ...old.revisions], features: ["tools", "resources", "tasks"] },
    false,
  ],
  [
    "more transports, a client and an engine",
    {},
    { transports: ["stdio", "http", "tcp"], client: true, scale: "nats" },
    false,
  ],
  ["the same engine and client", { scale: "nats", client: true }, { scale: "nats", client: true }, false],
  ["another spec folder", {}, { spec: "spec" }, true],
  ["a revision less", {}, { revisions: ["2025-11-25"] }, true],
  ["another feature", {}, { features: ["tools", "tasks"] }, true],
  ["another transport", {}, { transports: ["stdio", "tcp"] }, true],
  ["no client", { client: true }, {}, true],
  ["no engine", { scale: "nats" }, {}, true],
  ["another engine", { scale: "nats" }, { scale: "redis" }, true],
])("an update to %s removes something that the project may use: %#", (_what, before, after, expected) => {
  expect(isLess({ ...old, ...before }, { ...old, ...after })).toBe(expected);
});

const enginePlaces = "src/engine.ts, test/cluster.test.ts, compose.yaml and deploy/";

test.each<
  readonly [
    what: string,
    change: { readonly before?: Partial<LayerChoices>; readonly after?: Partial<LayerChoices> },
    files: readonly string[],
    lines: readonly string[],
  ]
>([
  ["nothing else", {}, ["src/handler.ts", "test/links.ts"], []],
  ["other revisions", { after: { revisions: ["2026-07-28"] } }, [], []],
  [
    "skills",
    { after: { features: ["tools", "skills"] } },
    [],
    [
      "Features: tools, skills; before: tools, resources.",
      "Skills are read with the package yaml: npm install --save-dev yaml",
    ],
  ],
  [
    "fewer features, with the skills that it has",
    { before: { features: ["tools", "resources", "skills"] }, after: { features: ["tools", "skills"] } },
    [],
    ["Features: tools, skills; before: tools, resources, skills."],
  ],
  [
    "WebSocket",
    { after: { transports: ["stdio", "http", "websocket"] } },
    ["test/links.ts", "test/client.ts"],
    [
      "WebSockets are served with the package ws: npm install --save-dev ws @types/ws",
      "Transports: stdio, http, websocket; before: stdio, http.",
      "The tests use the transports in test/links.ts.",
    ],
  ],
  [
    "fewer transports, with the WebSocket that it has",
    { before: { transports: ["stdio", "websocket"] }, after: { transports: ["websocket"] } },
    ["src/handler.ts", "test/client.ts"],
    ["Transports: websocket; before: stdio, websocket.", "The tests use the transports in test/client.ts."],
  ],
  [
    "no HTTP",
    { after: { transports: ["stdio"] } },
    ["src/handler.ts", "handler.d.ts", "src/mcp-handler.ts"],
    [
      "Transports: stdio; before: stdio, http.",
      "Remove what serves HTTP, and the lines that use it: src/handler.ts, handler.d.ts, src/mcp-handler.ts.",
    ],
  ],
  [
    "no HTTP, of which it has no file",
    { after: { transports: ["stdio"] } },
    [],
    ["Transports: stdio; before: stdio, http."],
  ],
  [
    "an engine",
    { after: { scale: "redis" } },
    [],
    [
      "Engine of several nodes: redis; before: none.",
      "Its client is a package: npm install --save-dev @redis/client",
      `Take ${enginePlaces} from a new project with --scale redis, and pass connectEngine() as its src/server.ts and src/handler.ts do.`,
    ],
  ],
  [
    "another engine",
    { before: { scale: "redis" }, after: { scale: "nats" } },
    [],
    [
      "Engine of several nodes: nats; before: redis.",
      "Its client is a package: npm install --save-dev @nats-io/jetstream @nats-io/transport-node",
      "That of redis is no longer used: npm uninstall @redis/client",
      `Take ${enginePlaces} from a new project with --scale nats.`,
    ],
  ],
  [
    "no engine",
    { before: { scale: "redis" } },
    [],
    [
      "Engine of several nodes: none; before: redis.",
      "That of redis is no longer used: npm uninstall @redis/client",
      `Remove ${enginePlaces}, and connectEngine from src/server.ts and src/handler.ts.`,
    ],
  ],
  ["a client", { after: { client: true } }, [], ["Client: included."]],
  ["no client", { before: { client: true } }, [], ["Client: removed."]],
])("an update of a project to %s reports what changes, and the steps that it needs", (_what, change, files, lines) => {
  const project = temporaryFolder();
  for (const folder of ["src", "test"]) mkdirSync(join(project, folder));
  for (const file of files) writeFileSync(join(project, file), "");
  const [before, after] = [
    { ...old, ...change.before },
    { ...old, ...change.after },
  ];
  expect(describeChoices(before, after, { project, commands: commandsOf("npm") })).toEqual(lines);
});
