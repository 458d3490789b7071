import { describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { examine } from "../../../tools/check/examine.ts";
import { findingsOf, type CheckReport } from "../../../tools/check/finding.ts";
import { createHttpWires } from "../../../tools/check/wires/http-wire.ts";
import { createStdioWires } from "../../../tools/check/wires/stdio-wire.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createOurServer } from "../../interop/our-server.ts";
import { serveSdk } from "../../interop/sdk1/http-server.ts";
import { serveSdk2 } from "../../interop/sdk2/server.ts";
import { isAlive } from "../../kit/programs.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";

const ids = handshakeRevisions.map(({ id }) => id);

interface Running {
  readonly url: string;
  close(): Promise<unknown>;
}

async function examineHttp(serve: () => Promise<Running>): Promise<CheckReport> {
  const { url, close } = await serve();
  try {
    const wires = createHttpWires({ url: new URL(url), headers: {}, timeout: 60_000 });
    return await examine(wires, { target: "test", revisions });
  } finally {
    await close();
  }
}

/** Rules that were broken, each once, with the revisions where they were. */
function brokenRules(report: CheckReport): Record<string, string[]> {
  const broken: Record<string, string[]> = {};
  for (const { rule, revision } of findingsOf(report)) {
    const known = (broken[rule] ??= []);
    if (!known.includes(revision)) known.push(revision);
  }
  return broken;
}

describe("`check` over HTTP", () => {
  test("`check` over HTTP finds only missing descriptions of tools in a server of this package", async () => {
    const report = await examineHttp(() => serveHttp(createOurServer(ids), { port: 0 }));
    expect(report).toMatchObject({ server: { name: "ours", version: "1" }, revisions: ids });
    expect(brokenRules(report)).toEqual({ "tool-description": [""] });
    const looked = new Set(report.results.map(({ rule }) => rule.id));
    expect(looked.size).toBeGreaterThan(25);
  });

  test("`check` over HTTP finds the faults of servers of the official SDKs, and nothing else", async () => {
    expect(brokenRules(await examineHttp(() => serveSdk()))).toEqual({
      "http-origin": ids,
      "sse-served": ["2024-11-05"],
      "unknown-tool": ids,
      "tool-without-name": ids,
      "tool-description": [""],
      "invalid-cursor": ids,
    });
    expect(brokenRules(await examineHttp(() => serveSdk2()))).toEqual({
      "http-unknown-session": ids,
      "http-origin": ids,
      "sse-served": ["2024-11-05"],
      "unknown-resource": ids,
      "tool-description": [""],
      "invalid-cursor": ids,
    });
  });
});

test("`check` over HTTP warns when clients of the oldest revision find no transport", async () => {
  const serve = (sse: false | undefined, path?: string): Promise<Running> =>
    serveHttp(createOurServer(ids), { port: 0, ...(sse === false && { sse }), ...(path !== undefined && { path }) });
  const without = await examineHttp(() => serve(false));
  expect(findingsOf(without).filter(({ rule }) => rule === "sse-served")).toEqual([
    expect.objectContaining({ severity: "warning", revision: "2024-11-05", subject: "HTTP with SSE" }),
  ]);
  expect(brokenRules(await examineHttp(() => serve(undefined, "/deep/mcp")))).not.toHaveProperty("sse-served");
});

describe("`check` on stdio", () => {
  const [newest] = handshakeRevisions;
  /** A server that does everything wrong that a server can and still be spoken to. */
  const broken = `
    console.log("Server starting...");
    console.log("");
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
    let rest = "";
    process.stdin.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\\n");
      rest = lines.pop();
      for (const line of lines) take(JSON.parse(line));
    });
    function take({ id, method, params }) {
      if (method === "initialize") return send({ jsonrpc: "2.0", id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {}, prompts: {} }, serverInfo: { name: "bad", version: "0" } } });
      if (method === "tools/list") return send({ jsonrpc: "2.0", id, result: { tools: [{ name: "a", inputSchema: { type: "object" } }, { name: "a", inputSchema: { type: "object" }, description: 7 }], nextCursor: "again" } });
      if (method === "prompts/list") return send({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
      if (method === "ping") return send({ jsonrpc: "2.0", id: String(id), result: {} });
      if (id !== undefined) send({ jsonrpc: "2.0", id, result: {} });
      send({ jsonrpc: "2.0", method: "notifications/nonsense" });
    }`;

  test("`check` finds every fault of a server that has them all", async () => {
    const wires = createStdioWires({ command: process.execPath, args: ["-e", broken], env: {}, timeout: 2_000 });
    const report = await examine(wires, { target: "bad", revisions: newest ? [newest] : [] });
    expect(Object.keys(brokenRules(report)).sort()).toEqual([
      "answers-ping",
      "clean-output",
      "ends",
      "fits-revision",
      "ignores-late-cancellation",
      "ignores-unknown-notification",
      "invalid-cursor",
      "keeps-ids",
      "lists",
      "names-are-unique",
      "negotiates",
      "survives-broken-json",
      "tool-description",
      "tool-without-name",
      "unknown-method",
      "unknown-prompt",
      "unknown-tool",
    ]);
  });

  test("`check` reports a list that does not end", async () => {
    const endless = `
      let page = 0;
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line.startsWith("{") && line.endsWith("}") ? line : "{}");
        if (id === undefined) return;
        const results = {
          initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "endless", version: "0" } },
          "tools/list": { tools: [], nextCursor: String((page += 1)) },
          ping: {},
        };
        const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } };
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
      });`;
    const wires = createStdioWires({ command: process.execPath, args: ["-e", endless], env: {}, timeout: 60_000 });
    const report = await examine(wires, { target: "endless", revisions: newest ? [newest] : [] });
    const found = findingsOf(report).filter(({ rule }) => rule === "lists");
    expect(found).toEqual([expect.objectContaining({ severity: "warning", subject: "tools/list" })]);
  });

  test("only the first lines of a program that writes without end are kept", async () => {
    const endless = 'const write = () => process.stdout.write("log\\n".repeat(1_000), write); write();';
    const wires = createStdioWires({ command: process.execPath, args: ["-e", endless], env: {}, timeout: 1_000 });
    const wire = await wires.open();
    expect(await wire.exchange({ jsonrpc: "2.0", id: 1, method: "ping" }, { id: 1 })).toEqual({});
    await expect.poll(() => wire.strayData.length).toBe(1_000);
    await wire.close();
    expect(wire.strayData).toHaveLength(1_000);
  });

  test("`check` reports what a server has sent before it exited", async () => {
    const leaving = `
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line.startsWith("{") && line.endsWith("}") ? line : "{}");
        if (id === undefined) return;
        if (method.startsWith("doctor/")) return process.exit(3);
        if (method === "tools/list" && !params?.cursor) console.log("listing");
        const results = {
          initialize: { protocolVersion: "${newest?.id}", capabilities: { tools: {} }, serverInfo: { name: "leaving", version: "0" } },
          "tools/list": { tools: [{ name: "a", title: 5, description: "a", inputSchema: { type: "object" } }] },
          ping: {},
        };
        const answer = method in results && !params?.cursor ? { result: results[method] } : { error: { code: -32602, message: "no" } };
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
      });`;
    const wires = createStdioWires({ command: process.execPath, args: ["-e", leaving], env: {}, timeout: 60_000 });
    const report = await examine(wires, { target: "leaving", revisions: newest ? [newest] : [] });
    const found = findingsOf(report).map(({ rule, subject, message }) => `${rule}, ${subject}: ${message}`);
    expect(found).toEqual([
      "unknown-method, doctor/unknown: there is no response: it exited with code 3",
      "fits-revision, tools/list: the result at tools/0/title should be string",
      'clean-output, output: this is not a message: "listing"',
    ]);
  });

  test("`check` reports a server that responds once more after an unknown notification, and exits then", async () => {
    const leaving = `
      let isLeaving = false;
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line.startsWith("{") && line.endsWith("}") ? line : "{}");
        if (method === "notifications/doctor/unknown") isLeaving = true;
        if (id === undefined) return;
        const results = {
          initialize: { protocolVersion: "${newest?.id}", capabilities: {}, serverInfo: { name: "leaving", version: "0" } },
          ping: {},
        };
        const answer = method in results ? { result: results[method] } : { error: { code: -32601, message: "no" } };
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n", () => isLeaving && process.exit(3));
      });`;
    const wires = createStdioWires({ command: process.execPath, args: ["-e", leaving], env: {}, timeout: 60_000 });
    const report = await examine(wires, { target: "leaving", revisions: newest ? [newest] : [] });
    expect(findingsOf(report).map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      "ignores-unknown-notification: after an unknown notification, it exited with code 3",
    ]);
  });

  test("`check` reports that a program without responses supports no revision", async () => {
    const wires = createStdioWires({ command: process.execPath, args: ["-e", ""], env: {}, timeout: 2_000 });
    const report = await examine(wires, { target: "silent", revisions: newest ? [newest] : [] });
    expect(report.revisions).toEqual([]);
    expect(brokenRules(report)).toEqual({ "known-revision": [""] });
  });

  test("`check` does not wait ten minutes for the response to a batch when the server responds to later requests", async () => {
    const batching = handshakeRevisions.filter(({ batching }) => batching);
    const deaf = `
      process.stdin.setEncoding("utf8").on("data", (text) => text.split("\\n").filter(Boolean).forEach((line) => take(JSON.parse(line))));
      function take({ id, method, params }) {
        if (id === undefined) return;
        const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "deaf", version: "0" } } : {};
        const answer = ["initialize", "ping"].includes(method) ? { result } : { error: { code: -32601, message: "no" } };
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
      }`;
    const wires = createStdioWires({ command: process.execPath, args: ["-e", deaf], env: {}, timeout: 600_000 });
    const report = await examine(wires, { target: "deaf", revisions: batching });
    expect(brokenRules(report)["accepts-batches"]).toEqual(batching.map(({ id }) => id));
    const finding = findingsOf(report).find(({ rule }) => rule === "accepts-batches");
    // The official SDKs accept no batches: with an error, no server of theirs would pass.
    expect(finding?.severity).toBe("note");
  });

  test.skipIf(process.platform === "win32")(
    "`check` ends the process that a wrapper has started (there is no such shell on Windows)",
    async () => {
      const deaf = `"${process.execPath}" -e 'setInterval(() => {}, 1000); console.error("up")'; true`;
      const wire = await createStdioWires({ command: "sh", args: ["-c", deaf], env: {}, timeout: 1_000 }).open();
      expect(await wire.close()).toEqual({ wasKilled: true });
    },
  );

  test.skipIf(process.platform === "win32")(
    "`check` does not wait for a process that a server has left behind, and that holds its output (Windows ends it)",
    async () => {
      const leaving = `
        const options = { stdio: ["ignore", "inherit", "ignore"], detached: true };
        const left = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)"], options);
        left.unref();
        console.log("pid " + left.pid);
        process.stdin.resume();`;
      const args = ["-e", leaving];
      const wire = await createStdioWires({ command: process.execPath, args, env: {}, timeout: 1_000 }).open();
      await expect.poll(() => wire.strayData).toHaveLength(1);
      const pid = Number(wire.strayData[0]?.text.slice(4));
      onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
      expect(await wire.close()).toEqual({ wasKilled: false });
      expect(isAlive(pid)).toBe(true);
      expect(wire.isOpen).toBe(false);
    },
  );
});
