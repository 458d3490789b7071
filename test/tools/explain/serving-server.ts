import { serveStdio } from "../../../runtime/server/run/serve-stdio.ts";
import { server } from "./maximal-server.ts";

serveStdio(server);
