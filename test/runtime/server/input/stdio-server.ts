import { serveStdio } from "../../../../runtime/server/run/serve-stdio.ts";
import { createElicitingServer } from "./input-server.ts";

serveStdio(createElicitingServer());
