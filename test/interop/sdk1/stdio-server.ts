import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createSdkServer } from "./http-server.ts";

/** The official server of the first generation on stdin and stdout; it says which process it is. */
console.error(`pid ${process.pid}`);
await createSdkServer().connect(new StdioServerTransport());
