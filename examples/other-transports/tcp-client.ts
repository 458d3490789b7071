import { createTcpTransport } from "mcp-server-runtime/transports";
import { countOver } from "./count.ts";

const [port = "4000", host = "127.0.0.1"] = process.argv.slice(2);

await countOver(createTcpTransport({ port: Number(port), host }));
