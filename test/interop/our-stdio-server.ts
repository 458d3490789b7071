import { serveStdio } from "../../runtime/server/run/serve-stdio.ts";
import { createOurServer } from "./our-server.ts";

/** Our server on stdin and stdout, at the revisions of the command line. */
serveStdio(createOurServer(process.argv.slice(2)));
