import { createWsTransport } from "mcp-server-runtime/transports/websocket-server";
import { countOver } from "./count.ts";

const [url = "ws://127.0.0.1:4001/mcp"] = process.argv.slice(2);

await countOver(createWsTransport(url));
