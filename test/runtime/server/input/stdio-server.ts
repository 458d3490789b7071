import { serveStdio } from "../../../../runtime/server/run/serve-stdio.ts";
import { createAskingServer } from "./input-server.ts";

serveStdio(createAskingServer());
