import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import type { Method, RevisionModel } from "../../../generator/model.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";
import type { LossMode } from "../../../runtime/protocol/revision/revision-converter.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import { findUnknown } from "../../generator/conversions/convert-walk.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

/* One definition that uses what the newest handshake revision has, served at each older one: every message that leaves must be
   valid there and hold no key that the revision does not know. */

const { defineServer, defineTool, defineResource, definePrompt } = forRevisions<Declarations>(handshakeRevisions);

const icons = [{ src: "https://example.com/icon.png", mimeType: "image/png" }];

const report = defineTool({
  name: "report",
  title: "ErrorReport",
  icons,
  annotations: { readOnlyHint: true },
  inputSchema: z.object({ year: z.number() }),
  outputSchema: z.object({ total: z.number() }),
  execute: () => ({ total: 3 }),
});

const media = defineTool({
  name: "media",
  execute: async (_args, context) => {
    await context.progress(1, 2, "half");
    await context.log("info", "done");
    return {
      content: [
        { type: "text", text: "hello", _meta: { "example.com/a": 1 } },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        { type: "resource_link", uri: "file:///a", name: "a", icons },
      ],
    };
  },
});

const ask = defineTool({
  name: "ask",
  execute: async (_args, context) => {
    const result = await context.sample({ messages: [], maxTokens: 1, systemPrompt: "Be brief." });
    return result.model;
  },
});

function makeServer(): Server {
  return defineServer({
    name: "exact",
    title: "Exact",
    version: "1.0.0",
    icons,
    websiteUrl: "https://example.com",
    tools: [report, media, ask],
    resources: [defineResource({ uri: "file:///a", name: "a", title: "A", icons, read: () => "text" })],
    prompts: [
      definePrompt({
        name: "p",
        title: "P",
        arguments: { x: { title: "X", required: true, complete: () => ["one"] } },
        get: ({ x }) => [{ role: "user", content: { type: "audio", data: "AAAA", mimeType: x } }],
      }),
    ],
  });
}

const calls: readonly (readonly [method: string, params: object])[] = [
  ["tools/list", {}],
  ["tools/call", { name: "report", arguments: { year: 2025 } }],
  ["tools/call", { name: "media", arguments: {}, _meta: { progressToken: "t" } }],
  ["tools/call", { name: "ask", arguments: {} }],
  ["resources/list", {}],
  ["resources/read", { uri: "file:///a" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p", arguments: { x: "audio/wav" } }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "o" } }],
];

let models: ReadonlyMap<string, RevisionModel>;

beforeAll(async () => {
  const folder = await openSpecFolder(join(import.meta.dirname, "../../../spec"));
  const read = await Promise.all(handshakeRevisions.map(({ id }) => folder.readModel(id)));
  models = new Map(read.map((model) => [model.id, model]));
});

describe.each(handshakeRevisions.map((revision) => [revision.id, revision] as const))(
  "a server at %s",
  (id, revision) => {
    it("a server sends nothing that is missing at the revision", async () => {
      const { sent, methods, reports } = await converse(revision);
      const model = models.get(id);
      if (!model) throw new Error(`no model of ${id}`);
      expect(sent.length).toBeGreaterThan(calls.length);
      expect(sent.flatMap((message) => findProblems(message, methods, model))).toEqual([]);
      expect(reports).toEqual([]);
    });

    it("a server responds to every call", async () => {
      const { sent, methods } = await converse(revision);
      const responses = sent.filter(isObject).filter(({ result }) => result !== undefined);
      expect(responses.map(({ id: request }) => methods.get(request)).sort()).toEqual(
        ["initialize", ...calls.map(([method]) => method)].sort(),
      );
    });
  },
);

describe("losses at an older revision", () => {
  const oldest = handshakeRevisions.at(-1) ?? handshakeRevisions[0];

  it.each([
    ["convert", 0],
    ["warn", 10],
  ] as const)("a loss is left out with onLoss: %s, and reported %d times or more", async (mode, minimum) => {
    if (!oldest) throw new Error("no revision");
    const { reports } = await converse(oldest, mode);
    const losses = reports.filter(({ kind }) => kind === "loss");
    expect(losses.length).toBeGreaterThanOrEqual(minimum);
    expect(losses.length === 0).toBe(mode === "convert");
  });

  it("a loss with onLoss: error stops a server before it serves, when it is the server's own info", async () => {
    if (!oldest) throw new Error("no revision");
    await expect(converse(oldest, "error")).rejects.toThrow(/Implementation\.\w+ does not match revision/);
  });
});

interface Conversation {
  readonly sent: readonly unknown[];
  /** Method by request id. */
  readonly methods: ReadonlyMap<unknown, string>;
  readonly reports: readonly ErrorReport[];
}

async function converse(revision: Revision, onLoss: LossMode = "convert"): Promise<Conversation> {
  const wire = new Wire();
  const reports: ErrorReport[] = [];
  const connection = serve(makeServer(), wire, { onError: (problem) => reports.push(problem), onLoss });
  const methods = new Map<unknown, string>([[0, "initialize"]]);
  wire.post(initialize(revision.id, { sampling: {} }), initialized);
  await settle();
  for (const [index, [method, params]] of calls.entries()) {
    methods.set(index + 1, method);
    wire.post({ jsonrpc: "2.0", id: index + 1, method, params });
    await settle();
    respondToSampling(wire);
    await settle();
  }
  await connection.close();
  return { sent: wire.sent, methods, reports };
}

function respondToSampling(wire: Wire): void {
  const request = wire.sent.filter(isObject).find(({ method }) => method === "sampling/createMessage");
  if (!request) return;
  const result = { role: "assistant", content: { type: "text", text: "hi" }, model: "m" };
  wire.post({ jsonrpc: "2.0", id: request.id, result });
}

function findProblems(message: unknown, methods: Conversation["methods"], model: RevisionModel): string[] {
  if (!isObject(message)) return ["not a message"];
  const isResponse = message.method === undefined;
  const name = isResponse ? methods.get(message.id) : message.method;
  const method = model.methods.find((candidate) => candidate.name === name);
  if (!method) return [`${String(name)}: unknown method`];
  if (isResponse && message.result === undefined) return [`${method.name}: ${JSON.stringify(message.error)}`];
  const value = isResponse ? message.result : message.params;
  const shape = isResponse ? method.result : method.params?.shape;
  return shape ? findUnknown(value, shape, model).map((path) => `${describeMethod(method, isResponse)}${path}`) : [];
}

function describeMethod(method: Method, isResponse: boolean): string {
  return `${method.name} ${isResponse ? "result" : "params"}: `;
}
