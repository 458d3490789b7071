import { importOlderSdk } from "./sdk.ts";

/* A server of an official SDK of long ago on stdin and stdout: which one, the command line says. */

const { Server, StdioServerTransport, ListToolsRequestSchema, CallToolRequestSchema } = await importOlderSdk(
  process.argv[2] ?? "",
);
const server = new Server({ name: "older", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: "echo", inputSchema: { type: "object" } }],
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: "text", text: String(params.arguments?.text) }],
}));
await server.connect(new StdioServerTransport());
