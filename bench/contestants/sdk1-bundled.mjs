// The stdio server of sdk1.mjs in one file, made with the same bundler and options as ours.
import { buildProject, projectCommand } from "../lib/project.mjs";

const S = "@modelcontextprotocol/sdk";
const source = `import { McpServer } from "${S}/server/mcp.js";
import { StdioServerTransport } from "${S}/server/stdio.js";
import * as z from "zod";

const server = new McpServer({ name: "bench", version: "1.0.0" }, { capabilities: { logging: {} } });
server.registerTool("echo", { description: "echo", inputSchema: { text: z.string() } }, async ({ text }) => ({
  content: [{ type: "text", text }],
}));
server.registerTool(
  "add",
  { description: "add", inputSchema: { a: z.number(), b: z.number() } },
  async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
);
await server.connect(new StdioServerTransport());
`;

export default {
  id: "sdk1-bundled",
  order: 11,
  label: "MCP TypeScript SDK v1, bundled",
  packages: [S],
  prepareStdio: () => buildProject("sdk1-bundled", source),
  stdioCommand: () => projectCommand("sdk1-bundled"),
};
