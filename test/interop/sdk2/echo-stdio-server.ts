import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { serveStdio } from "../../../runtime/server/run/serve-stdio.ts";
import { createOfficialEcho, createOurEcho } from "./echo-servers.ts";

/** A server with the extension on stdin and stdout: the official one, or ours. */
if (process.argv[2] === "official") await createOfficialEcho().connect(new StdioServerTransport());
else serveStdio(createOurEcho());
