// The stdio server of sdk2.mjs in one file, made with the same bundler and options as ours.
import { buildProject, projectCommand } from "../lib/project.mjs";

const S = "@modelcontextprotocol/server";
const source = `import { McpServer } from "${S}";
import { serveStdio } from "${S}/stdio";
import * as z from "zod";

const echo = z.object({ text: z.string() });
const add = z.object({ a: z.number(), b: z.number() });
serveStdio(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool("echo", { description: "echo", inputSchema: echo }, async ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  server.registerTool("add", { description: "add", inputSchema: add }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server;
});
`;

export default {
  id: "sdk2-bundled",
  order: 21,
  label: "MCP TypeScript SDK v2, bundled",
  packages: [S],
  prepareStdio: () => buildProject("sdk2-bundled", source),
  stdioCommand: () => projectCommand("sdk2-bundled"),
};
