import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { clientInfo, requestMetadata } from "./request-metadata.ts";

/** First tool call of a new project, to show it works. */
export interface FirstCall {
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
}

/** Call of the example tool of a new project. */
export const exampleCall: FirstCall = { tool: "measure_text", arguments: { text: "Hello, world" } };

/** Project and revision for the first call. */
export interface FirstCaller {
  readonly folder: string;
  readonly revision: string;
  /** True if requests of this revision are stateless: then no session is opened. */
  readonly isStateless: boolean;
}

/**
 * Starts a built project and calls its tool as a client of the revision would. Resolves to the text of the result.
 * @throws {Error} when there is no result within ten seconds, or the result is an error.
 */
export async function makeFirstCall(call: FirstCall, { folder, revision, isStateless }: FirstCaller): Promise<string> {
  const child = spawn(process.execPath, [join("dist", "server.js")], {
    cwd: folder,
    stdio: ["pipe", "pipe", "ignore"],
    signal: AbortSignal.timeout(10_000),
  });
  // Failures of the process show as the end of its output.
  child.on("error", ignore);
  child.stdin.on("error", ignore);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    send({ id, method, params });
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new Error(`the server ended without an answer to ${method}`);
      const message: unknown = JSON.parse(line.value);
      // Notifications, such as log messages, precede the response.
      if (member(message, "id") === id) return message;
    }
  };
  const params = { name: call.tool, arguments: call.arguments };
  try {
    if (isStateless) return readText(await ask(1, "tools/call", { ...params, _meta: requestMetadata(revision) }));
    await ask(1, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo });
    send({ method: "notifications/initialized" });
    return readText(await ask(2, "tools/call", params));
  } finally {
    child.kill();
  }
}

function ignore(): void {}

function readText(message: unknown): string {
  const result = member(message, "result");
  const content = member(result, "content");
  const text = Array.isArray(content) ? member(content[0], "text") : undefined;
  if (typeof text !== "string" || member(result, "isError") === true)
    throw new Error(`the server did not answer the call: ${JSON.stringify(message)}`);
  return text;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
