import { createMcpHandler } from "@modelcontextprotocol/server";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createHttpWires } from "../../../tools/check/wires/http-wire.ts";
import { createStdioWires } from "../../../tools/check/wires/stdio-wire.ts";
import { examine } from "../../../tools/check/examine.ts";
import { findingsOf, type CheckReport } from "../../../tools/check/finding.ts";
import type { WireFactory } from "../../../tools/check/wires/wire.ts";
import { revisions } from "../../../generated/revisions.ts";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createSdk2Server, serveFetch } from "../../interop/sdk2/server.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { readText, serveRaw, type Running } from "../../kit/raw-server.ts";

function onStdio(code: string): WireFactory {
  return createStdioWires({ command: process.execPath, args: ["-e", code], env: {}, timeout: 60_000 });
}

function findingsAbout(report: CheckReport, id: string): string[] {
  expect(report.results.map(({ rule }) => rule.id)).toContain(id);
  return findingsOf(report)
    .filter(({ rule }) => rule === id)
    .map(({ severity, subject, message }) => `${severity} ${subject}: ${message}`);
}

async function examineHttp({ url, close }: Running): Promise<CheckReport> {
  try {
    const wires = createHttpWires({ url: new URL(url), headers: {}, timeout: 60_000 });
    return await examine(wires, { target: "test", revisions: [statelessRevision] });
  } finally {
    await close();
  }
}

describe("cancellation by a message", () => {
  /** A correct server whose list takes until it is cancelled, and what it does then with the id of the request. */
  function serverThat(reaction: string): WireFactory {
    return onStdio(`
      const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
      let count = 0;
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        let message;
        try { message = JSON.parse(line); } catch { return; }
        const { id, method, params } = message;
        if (method === "notifications/cancelled") { if (params.requestId === "doctor-cancelled") { const id = params.requestId; ${reaction} } return; }
        if (id === "doctor-cancelled") return;
        if (method === "initialize") return send({ id, result: { protocolVersion: "${newest.id}", capabilities: { tools: {} }, serverInfo: { name: "slow", version: "1" } } });
        if (method === "tools/list") return send({ id, result: { tools: [] } });
        if (method === "ping") return send({ id, result: {} });
        if (id !== undefined) send({ id, error: { code: method === "tools/call" ? -32602 : -32601, message: "no" } });
      });`);
  }

  const late = `setTimeout(() => send({ id, result: { tools: [] } }), 50);`;

  test.each<[string, string, string[]]>([
    ["sends no response", "", []],
    ["responds late", late, []],
    ["responds at the same time", "send({ id, result: { tools: [] } });", []],
    [
      "exits",
      "process.exit(1);",
      ["error tools/list was cancelled: after tools/list was cancelled, it exited with code 1"],
    ],
    [
      "responds with an error",
      `send({ id, error: { code: 0, message: "Request cancelled" } });`,
      ["warning a cancelled request: it returned the error 0 after its cancellation"],
    ],
    [
      "responds twice",
      "send({ id, result: { tools: [] } }); send({ id, result: { tools: [] } });",
      ["error a cancelled request: it got two responses"],
    ],
    [
      "responds to the notification",
      `send({ id: null, error: { code: -32601, message: "Method not found" } });`,
      ["error notifications/cancelled: it got an error response"],
    ],
  ])("`check` examines the cancellation of a server that %s", async (_what, reaction, expected) => {
    const report = await examine(serverThat(reaction), { target: "test", revisions: [newest] });
    expect(findingsAbout(report, "cancellation")).toEqual(expected);
  });

  test("`check` finds no problem with cancellation in the reference server", async () => {
    const script = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
    const wires = createStdioWires({ command: process.execPath, args: [script, "stdio"], env: {}, timeout: 60_000 });
    const report = await examine(wires, { target: "everything", revisions: [newest] });
    expect(findingsAbout(report, "cancellation")).toEqual([]);
  });
});

/** A server without sessions that neither looks at headers nor minds who is gone, but for what is changed. */
function serveStateless(changes: {
  readonly closed?: () => void;
  readonly reject?: (
    headers: Readonly<Record<string, unknown>>,
    method: string,
    params: Readonly<Record<string, unknown>>,
  ) => readonly [status: number, code: number] | undefined;
  readonly tools?: readonly object[];
  readonly isDead?: () => boolean;
}): Promise<Running> {
  return serveRaw(async (request, response) => {
    const { id, method, params = {} } = toMessage(await readText(request));
    const respond = (status: number, parts: object): void =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...parts }));
    if (changes.isDead?.()) return void response.destroy();
    if (id === undefined) return void response.writeHead(method === "" ? 400 : 202).end();
    const rejection = changes.reject?.(request.headers, method, params);
    if (rejection) return respond(rejection[0], { error: { code: rejection[1], message: "no" } });
    switch (method) {
      case "server/discover":
        return respond(200, {
          result: {
            ...complete,
            supportedVersions: [statelessRevision.id],
            capabilities: { tools: { listChanged: true } },
          },
        });
      case "tools/list":
        return respond(200, { result: { ...complete, tools: changes.tools ?? [] } });
      case "tools/call":
        return respond(200, { result: { resultType: "complete", content: [], isError: true } });
      case "subscriptions/listen":
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        return void response.on("close", () => changes.closed?.());
      default:
        return respond(404, { error: { code: -32601, message: "no" } });
    }
  });
}

const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" } as const;

interface Received {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function toMessage(text: string): Received {
  try {
    return JSON.parse(text);
  } catch {
    return { method: "" };
  }
}

describe("cancellation by closing the stream", () => {
  test("`check` finds no problem in a server that continues after a stream was closed", async () => {
    expect(findingsAbout(await examineHttp(await serveStateless({})), "cancellation")).toEqual([]);
  });

  test("`check` reports a server that stops responding after a stream was closed", async () => {
    let isDead = false;
    const running = await serveStateless({ closed: () => (isDead = true), isDead: () => isDead });
    expect(findingsAbout(await examineHttp(running), "cancellation")).toEqual([
      "error subscriptions/listen was cancelled: after subscriptions/listen was cancelled, server/discover gets no response any more",
    ]);
  });
});

describe("headers that repeat members of the body", () => {
  test.each([
    ["no rejection at all (TH-12, TH-18)", undefined, "error", "HTTP 200"],
    ["a rejection with another code (TH-18)", [400, -32602] as const, "warning", "HTTP 400 with the error -32602"],
    ["a rejection with another status (TH-18)", [200, -32020] as const, "warning", "HTTP 200 with the error -32020"],
  ])("`check` reports a server that receives contradicting headers: %s", async (_what, rejection, severity, how) => {
    const running = await serveStateless({
      reject: (headers, method) => (isHonest(headers, method) ? undefined : rejection),
    });
    const seen = findingsAbout(await examineHttp(running), "http-mirrored-headers");
    const subjects = seen.map((text) => text.replace(/: the response is .*$/, ""));
    const tool = "tools/call";
    const ofTools =
      rejection?.[1] === -32602
        ? []
        : [`${severity} ${tool} without Mcp-Name`, `${severity} ${tool} with Mcp-Name: doctor-another`];
    expect(subjects).toEqual([
      `${severity} server/discover without MCP-Protocol-Version`,
      `${severity} server/discover with MCP-Protocol-Version: ${statelessRevision.id.replace("2", "1")}`,
      `${severity} server/discover without Mcp-Method`,
      `${severity} server/discover with Mcp-Method: prompts/list`,
      ...ofTools,
    ]);
    for (const text of seen) expect(text).toContain(how);
  });

  const look = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
  const demanding = { ...look, inputSchema: { type: "object", required: ["at"] } };
  const readOnly = { readOnlyHint: true };

  test.each([
    ["a read-only tool", [{ ...look, annotations: readOnly }], "look", ["without", "with"]],
    ["a read-only tool without its required arguments", [{ ...demanding, annotations: readOnly }], "look", []],
    [
      "a read-only tool without required arguments first",
      [
        { ...demanding, annotations: readOnly },
        { ...look, name: "see", annotations: readOnly },
      ],
      "see",
      ["without", "with"],
    ],
    ["an unknown tool when every tool may change something", [look], "doctor-no-such-tool", []],
  ])("`check` calls %s, for a server that validates arguments before headers", async (_what, tools, called, found) => {
    const names = new Set<unknown>();
    const running = await serveStateless({
      tools,
      // What is wrong with a call is told before anything is compared.
      reject: (headers, method, params) => {
        if (method !== "tools/call") return isHonest(headers, method) ? undefined : [400, -32020];
        if (headers["mcp-method"] === method && headers["mcp-name"] !== params.name) names.add(params.name);
        const tool = tools.find(({ name }) => name === params.name);
        return tool && !("required" in tool.inputSchema) ? undefined : [400, -32602];
      },
    });
    const seen = findingsAbout(await examineHttp(running), "http-mirrored-headers");
    expect(
      seen.filter((text) => text.includes("Mcp-Name")).map((text) => /(without|with) Mcp-Name/.exec(text)?.[1]),
    ).toEqual(found);
    expect([...names].filter((name) => name !== undefined)).toEqual([called]);
  });

  test("`check` finds no problem in a server that compares all headers", async () => {
    const running = await serveStateless({
      reject: (headers, method) => (isHonest(headers, method) ? undefined : [400, -32020]),
    });
    expect(findingsAbout(await examineHttp(running), "http-mirrored-headers")).toEqual([]);
  });

  test("`check` finds no problem in our server and the official one, with resources, tools and prompts", async () => {
    const { defineServer, defineTool, defineResource, definePrompt } = forRevisions<Declarations>(revisions);
    const ours = defineServer({
      name: "ours",
      version: "1",
      tools: [defineTool({ name: "echo", execute: () => "echo" })],
      resources: [defineResource({ uri: "test://a", name: "a", read: () => "text" })],
      prompts: [definePrompt({ name: "greet", get: () => "Hello" })],
      listChanged: true,
    });
    const official = createMcpHandler(() => createSdk2Server());
    for (const running of [
      await serveHttp(ours, { port: 0 }),
      await serveFetch((request) => official.fetch(request)),
    ]) {
      const report = await examineHttp(running);
      expect(findingsAbout(report, "http-mirrored-headers")).toEqual([]);
      expect(findingsAbout(report, "cancellation")).toEqual([]);
    }
  });
});

/** True if the headers belong to a request with these values. */
function isHonest(headers: Readonly<Record<string, unknown>>, method: string): boolean {
  const name = method === "tools/call" ? headers["mcp-name"] : "doctor-no-such-tool";
  return (
    headers["mcp-protocol-version"] === statelessRevision.id &&
    headers["mcp-method"] === method &&
    (name === "doctor-no-such-tool" || name === "doctor-no-such-thing")
  );
}
