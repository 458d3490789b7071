import { serveStdio } from "../../runtime/server/stdio.ts";
import { server } from "./maximal-server.ts";

serveStdio(server);
