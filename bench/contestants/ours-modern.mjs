// This project at 2026-07-28: requests stand alone, in memory, over stdio and over HTTP. From ../dist, like ours.mjs.
import { buildOurs, projectCommand } from "../lib/project.mjs";
import { connectClient, listen, listenTcp, load, openMemory } from "./ours.mjs";

const revision = "2026-07-28";

export default {
  id: "ours-modern",
  order: 11,
  label: "create-mcp-server, 2026-07-28",
  packages: [],
  era: "modern",

  inMemory: async () => connectClient(await openMemory(revision), revision),

  prepareStdio: () => buildOurs("ours-modern", revision),
  stdioCommand: () => projectCommand("ours-modern"),

  async stdioClient({ command, args }) {
    const { createStdioClientTransport } = await load("runtime/transport/stdio/stdio-client.js");
    const transport = createStdioClientTransport({ command, args });
    return { pid: transport.pid, ...(await connectClient(transport, revision)) };
  },

  tcpServer: () => listenTcp(revision),

  httpModes: ["modern-json", "modern-sse"],
  httpServer: (mode) => listen(revision, mode),
};
