// A server with the lists of `LISTS`. It speaks plain JSON over stdio, so that nothing checks what it sends. Calls return the text of their tool in `texts`, or
// what they received, and the structured content of their tool in `structured`.
import { createInterface } from "node:readline";

const lists = JSON.parse(process.env.LISTS ?? "{}");

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    serverInfo: { name: "listed", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: lists.tools ?? [] }),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: lists.resourceTemplates ?? [] }),
  "prompts/list": () => ({ prompts: lists.prompts ?? [] }),
  "tools/call": (params) => ({
    content: [{ type: "text", text: lists.texts?.[params.name] ?? `Received ${JSON.stringify(params.arguments)}` }],
    ...(lists.structured?.[params.name] && { structuredContent: lists.structured[params.name] }),
  }),
  "completion/complete": ({ context }) => ({
    completion: { values: Object.values(context?.arguments ?? {}).map((value) => `after ${value}`) },
  }),
  "prompts/get": (params) => ({
    messages: [{ role: "user", content: { type: "text", text: `Received ${JSON.stringify(params.arguments)}` } }],
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const respond = results[method];
  if (respond) send({ id, result: respond(params ?? {}) });
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
