import { beforeAll, describe, expect, test } from "vitest";
import type { RevisionModel } from "../../../generator/model.ts";
import type { ExtensionOverlay } from "../../../generator/model/overlay.ts";
import { readExtension } from "../../../generator/read/extension.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";

const folder = await openSpecFolder("spec");
let core: RevisionModel;

beforeAll(async () => {
  core = await folder.readModel([...folder.pins.keys()].at(-1) ?? "");
});

const clause = "https://example.com";
const overlay: ExtensionOverlay = {
  id: "com.example/echo",
  lifecycles: { clause, kinds: ["per-request"] },
  declared: { clause, client: "EchoSettings", server: "EchoSettings" },
  methods: { "echo/say": { clause, senders: ["client"] } },
};

const text = `import type { JSONRPCRequest, Result as Outcome, Tool } from "../core.ts";
export interface EchoSettings { loud?: boolean }
export interface Loud { volume: "loud"; tool: Tool }
export interface Quiet { volume: "quiet" }
export type Sound = Loud | Quiet;
export interface SayRequest extends JSONRPCRequest { method: "echo/say"; params: { word: string } }
export type SayResult = Outcome & Sound & { resultType: "complete" };
`;

function read(change: (schema: string) => string = (same) => same, more: Partial<ExtensionOverlay> = {}) {
  const schema = { path: "spec/extensions/echo/schema.ts", text: change(text) };
  const value = { ...overlay, ...more };
  return readExtension({ name: "echo", status: "draft", schema, overlay: { path: "overlay.json", value }, core });
}

describe("an extension", () => {
  test("an extension declares its own types and refers to types of the core by their original names", () => {
    const { declarations, scope, methods } = read();
    expect(declarations.map(({ name }) => name)).toEqual([
      "EchoSettings",
      "Loud",
      "Quiet",
      "Sound",
      "SayRequest",
      "SayResult",
    ]);
    expect(scope.length).toBe(core.declarations.length + declarations.length);
    expect(JSON.stringify(declarations)).not.toContain("Outcome");
    expect(methods).toMatchObject([{ name: "echo/say", handler: "say", kind: "request", senders: ["client"] }]);
  });

  test("a request of an extension may be declared as an intersection, and its params as a union of such", () => {
    const written = /export interface SayRequest .*\n/;
    const other = `type Spoken = Loud & { word: string };
export type SayParams = Spoken | Quiet;
export type SayRequest = JSONRPCRequest & { method: "echo/say"; params: SayParams };
`;
    expect(read((schema) => schema.replace(written, other)).methods).toMatchObject([
      {
        name: "echo/say",
        handler: "say",
        kind: "request",
        senders: ["client"],
        params: { shape: { kind: "reference", name: "SayParams" } },
      },
    ]);
  });

  test("an extension requires the declaration of both sides, or only of the server (XF-01)", () => {
    const path = ["extensions", overlay.id];
    expect(read().methods[0]).toMatchObject({
      gates: { client: { side: "server", path } },
      needs: { side: "client", path },
    });
    const [only] = read((same) => same, { declared: { clause, server: "EchoSettings" } }).methods;
    expect(only?.gates).toEqual({ client: { side: "server", path } });
    expect(only).not.toHaveProperty("needs");
  });

  test("a method of an extension may have hyphens and dots in its name", () => {
    const name = "com.example/echo.say-it";
    const [method] = read((schema) => schema.replace("echo/say", name), {
      methods: { [name]: { clause, senders: ["client"] } },
    }).methods;
    expect(method?.name).toBe(name);
  });

  test("a method between a view and its host needs no capability", () => {
    const methods = { "echo/say": { clause, senders: ["view", "host"] as const } };
    const [method] = read(undefined, { methods }).methods;
    expect(method).toMatchObject({ senders: ["view", "host"], gates: {} });
    expect(method).not.toHaveProperty("needs");
  });

  test("alternatives of an intersection of an object and a union get a tag", () => {
    const result = read().declarations.find(({ name }) => name === "SayResult");
    expect(result?.shape).toMatchObject({
      kind: "union",
      of: [{ kind: "intersection" }, { kind: "intersection" }],
      tag: { property: "volume", cases: [{ value: "loud" }, { value: "quiet" }] },
    });
  });

  test.each([
    [
      "a type that the core does not have",
      (schema: string) => schema.replace("Tool }", "Tool, Hammer }"),
      {},
      "the core declares no such type",
    ],
    [
      "a default import",
      (schema: string) => `import type Core from "./core.ts";\n${schema}`,
      {},
      "expected `import type",
    ],
    ["an import of values", (schema: string) => schema.replace("import type", "import"), {}, "expected `import type"],
    [
      "a name of the core",
      (schema: string) => `${schema}export interface Prompt {}\n`,
      {},
      "`Prompt` is already declared by the core",
    ],
    ["a type that is not imported", (schema: string) => schema.replace(", Tool }", " }"), {}, "`Tool` is not declared"],
    ["a method without a sender", undefined, { methods: {} }, 'methods["echo/say"].senders'],
    [
      "a method that the schema does not declare",
      undefined,
      { methods: { ...overlay.methods, "echo/hear": { clause } } },
      "refers to `echo/hear`",
    ],
    ["settings without a type", undefined, { declared: { clause, server: "Nothing" } }, "declares no `Nothing`"],
    [
      "a result of an unknown method",
      undefined,
      { results: [{ clause, method: "tools/shout", kind: "echo", type: "Loud" }] },
      "has no `tools/shout`",
    ],
    [
      "members of a value that is not an object",
      undefined,
      { members: [{ clause, method: "tools/call", at: ["name"], type: "Loud" }] },
      "has no object at name",
    ],
    [
      "a method of the core",
      (schema: string) => schema.replace("echo/say", "tools/call"),
      { methods: { "tools/call": { clause, senders: ["client"] } } },
      "already has `tools/call`",
    ],
  ] as const)("`readExtension` rejects %s", (_what, change, more, problem) => {
    expect(() => read(change, more)).toThrow(problem);
  });
});

test.each([...folder.extensions.keys()])("the extension %s is read from the spec folder", async (name) => {
  const { rules, status, methods } = await folder.readExtension(name, core);
  expect(rules.id).toMatch(/^[\w.-]+\/[\w.-]+$/);
  expect(status).toBe(folder.extensions.get(name)?.status);
  for (const { path } of methods.flatMap(({ gates }) => Object.values(gates)))
    expect(path.slice(0, 2)).toEqual(["extensions", rules.id]);
});
