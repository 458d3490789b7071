import { serveStdio } from "../../../runtime/server/run/serve-stdio.ts";
import { createAskingServer } from "./asking-server.ts";

serveStdio(createAskingServer());
