import { serveStdio } from "../../../runtime/server/stdio.ts";
import { createAskingServer } from "./asking-server.ts";

serveStdio(createAskingServer());
