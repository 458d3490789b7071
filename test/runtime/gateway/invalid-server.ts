import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "../../kit/messages.ts";

/*
 * A server on stdin and stdout whose results are odd, and which keeps state by the process. With `alone` as its first argument each request
 * stands alone, otherwise a handshake opens a session. The second argument names a file in which it writes what it is called with.
 */

const [era = "", log = ""] = process.argv.slice(2);
const isStateless = era === "alone";
let kept = "nothing";

interface Call {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const envelope = isStateless ? { resultType: "complete" } : {};
const listEnvelope = isStateless ? { ...envelope, ttlMs: 0, cacheScope: "private" } : {};
const names = ["set", "get", "ask", "kind", "huge", "pid"];
const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
if (process.env.TOOL !== undefined) tools.push({ name: process.env.TOOL, inputSchema: { type: "object" } });
const serverInfo = { name: process.env.NAME ?? "odd", version: "1" };
const capabilities = { tools: {} };

function nest(levels: number): object {
  return Array.from({ length: levels }).reduce<object>((inner) => ({ properties: { a: inner } }), { type: "object" });
}

function callTool(name: string, given: Readonly<Record<string, unknown>>): object {
  switch (name) {
    case "set":
      kept = String(given.value);
      return text("kept");
    case "get":
      return text(kept);
    case "ask":
      return { ...text("not yet"), resultType: "input_required", requestState: "again" };
    case "kind":
      return { ...text("done"), ...given };
    case "huge":
      return text("x".repeat(17 * 1024 * 1024));
    case "pid":
      return text(String(process.pid));
    default:
      return text("none");
  }
}

function respond({ method, params = {} }: Call): object | undefined {
  switch (method) {
    case "server/discover":
      return isStateless
        ? {
            ...listEnvelope,
            supportedVersions: ["2026-07-28"],
            capabilities,
            _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
          }
        : undefined;
    case "initialize":
      return isStateless ? undefined : { protocolVersion: params.protocolVersion, capabilities, serverInfo };
    case "tools/list": {
      const levels = Number(process.env.DEEP ?? 0);
      const deep = { name: "deep", inputSchema: { type: "object", properties: { a: nest(levels) } } };
      return { ...listEnvelope, tools: levels === 0 ? tools : [...tools, deep] };
    }
    case "tools/call":
      return { ...envelope, ...callTool(params.name ?? "", params.arguments ?? {}) };
    default:
      return undefined;
  }
}

if (process.env.WANTS_DB !== undefined && process.env.NOTES_DB === undefined) throw new Error("NOTES_DB is missing");
if (log !== "") appendFileSync(log, `started ${process.pid}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const call: Call = JSON.parse(line);
  if (call.id === undefined) return;
  if (call.method === "tools/call" && log !== "") appendFileSync(log, `called ${call.params?.name}\n`);
  const result = respond(call);
  const body = result ? { result } : { error: { code: -32601, message: "Method not found" } };
  // The id comes last, as some libraries write it.
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...body, id: call.id })}\n`);
});
