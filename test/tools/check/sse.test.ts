import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { examine } from "../../../tools/check/examine.ts";
import { findingsOf } from "../../../tools/check/finding.ts";
import { chooseHttpWires } from "../../../tools/check/wires/http-wires.ts";
import { createSseWires } from "../../../tools/check/wires/sse-wire.ts";
import { revisions } from "../../../generated/revisions.ts";
import { fetchContract } from "../../../tools/live/fetch-contract.ts";
import { runCheck } from "../../../cli/commands/check.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { captured } from "../../kit/commands.ts";
import { createOurServer } from "../../interop/our-server.ts";
import { serveSdk, serveSdkSse } from "../../interop/sdk1/http-server.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { readText, serveRaw, type Running } from "../../kit/raw-server.ts";
import { rulesOf } from "./rules-of.ts";

const ids = handshakeRevisions.map(({ id }) => id);
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function kept(running: Running): Running {
  closing.push(() => running.close());
  return running;
}

function reach(url: string, timeout = 50_000): Parameters<typeof createSseWires>[0] {
  return { url: new URL(url), headers: {}, timeout };
}

describe("`check` over HTTP with SSE", () => {
  test("`check` selects SSE for a server without Streamable HTTP, and finds the faults of the official one", async () => {
    const { url } = kept(await serveSdkSse());
    const wires = await chooseHttpWires(reach(url), revisions);
    expect(wires.transport).toBe("sse");
    const report = await examine(wires, { target: "test", revisions });
    expect(report.revisions).toEqual(ids);
    expect(rulesOf(report)).toEqual([
      // This transport of theirs takes single messages only, though the session may be one of the revision with batches.
      "accepts-batches",
      "http-origin",
      "invalid-cursor",
      "tool-description",
      "tool-without-name",
      "unknown-tool",
    ]);
  }, 120_000);

  test("`check` with SSE finds only missing descriptions of tools in a server that offers both transports", async () => {
    const options = { port: 0, sse: { path: "/sse" } };
    const { url } = kept(await serveHttp(createOurServer(ids), options));
    const report = await examine(createSseWires(reach(new URL("/sse", url).href)), { target: "test", revisions });
    expect(report.revisions).toEqual(ids);
    expect(rulesOf(report)).toEqual(["tool-description"]);
    expect(report.results.map(({ rule }) => rule.id)).toContain("sse-unknown-session");
  }, 120_000);

  test("`check` prefers Streamable HTTP where it is served, and uses SSE with the option `--sse`", async () => {
    const { url } = kept(await serveSdk());
    expect(await chooseHttpWires(reach(url), revisions)).toMatchObject({ transport: "http" });
    const options = { format: "text", failOn: "error", sse: true, protocol: newest.id, target: [url] } as const;
    const { code, stdout } = await captured(() => runCheck(options));
    expect(stdout).toMatch(/the stream: the response to GET is HTTP 400.*\n.*\[sse-endpoint\]/);
    expect(code).toBe(1);
  });
});

test.each([true, false])(
  "`client` and `diff` connect to a server with SSE, with and without the option `--sse`: %s",
  async (sse) => {
    const { url } = kept(await serveSdkSse());
    const target = { kind: "url", url: new URL(url) } as const;
    const contract = await fetchContract(target, { headers: {}, env: {}, timeout: 50_000, sse, revisions });
    expect(contract).toMatchObject({ server: { name: "sdk" }, revision: newest.id, tools: [{ name: "echo" }] });
  },
);

describe("`check` of faulty servers with SSE", () => {
  /** Opens a stream with these first events. */
  function serveStream(first: string): Promise<Running> {
    return serveRaw((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(first);
    });
  }

  test.each<[string, string, RegExp, timeout?: number]>([
    [
      "another origin",
      "event: endpoint\ndata: http://evil.example/messages\n\n",
      /evil\.example, which clients reject/,
    ],
    ["an invalid address", "event: endpoint\ndata: http://[\n\n", /is not an address/],
    ["no endpoint", "event: hello\ndata: /messages\n\n", /no event "endpoint" within 300 ms/, 300],
  ])("`check` reports the problem when the stream names %s", async (_what, first, message, timeout = 50_000) => {
    const { url } = kept(await serveStream(first));
    const report = await examine(createSseWires(reach(url, timeout)), { target: "test", revisions: [newest] });
    expect(rulesOf(report)).toEqual(["known-revision", "sse-endpoint"]);
    expect(findingsOf(report).find(({ rule }) => rule === "sse-endpoint")?.message).toMatch(message);
  });

  test("`check` reports a server that accepts messages of unknown sessions and requests of foreign pages", async () => {
    const { url } = kept(await serveCareless());
    const report = await examine(createSseWires(reach(url)), { target: "test", revisions: handshakeRevisions });
    // Its messages go to the stream that was opened last, so that sessions beside each other would get none.
    expect(report.revisions).toEqual(ids);
    expect(rulesOf(report)).toEqual(["accepts-batches", "http-origin", "negotiates", "sse-unknown-session"]);
  });
});

/** A server for one client, which responds on the last stream whatever session a message names, at whatever revision it requests. */
function serveCareless(): Promise<Running> {
  let stream: ServerResponse | undefined;
  return serveRaw(async (request, response) => {
    if (request.method === "GET") {
      if (request.headers.origin === undefined) stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.write("event: endpoint\ndata: messages?session=1\n\n");
    }
    const body = await readText(request);
    const isMessage = body.endsWith("}");
    response.writeHead(isMessage ? 202 : 400).end();
    const { id, method, params } = isMessage ? JSON.parse(body) : {};
    if (id === undefined || id === "doctor-stranger") return;
    const result =
      method === "initialize"
        ? {
            result: {
              protocolVersion: params.protocolVersion,
              capabilities: {},
              serverInfo: { name: "careless", version: "1" },
            },
          }
        : method === "ping"
          ? { result: {} }
          : { error: { code: -32601, message: "not here" } };
    stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, ...result })}\n\n`);
  });
}
