import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createSdk2Server } from "./server.ts";

/** The official server of the second generation on stdin and stdout. */
await createSdk2Server().connect(new StdioServerTransport());
