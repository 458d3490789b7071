import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/*
 * A server of handshakes on stdin and stdout that ends at the first message that it does not know, as some do, and when its tool is called with
 * `die`. Which process it is it writes to a file when a session begins.
 */

const [log = ""] = process.argv.slice(2);

interface Call {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly die?: boolean } };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params }: Call = JSON.parse(line);
  if (id === undefined) return;
  if (params?.arguments?.die) return void process.exit(7);
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "mortal", version: "1" },
    },
    "tools/list": { tools: [{ name: "work", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: String(process.pid) }] },
  };
  const result = results[method];
  if (!result) return void process.exit(8);
  if (method === "initialize") appendFileSync(log, `${process.pid}\n`);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
