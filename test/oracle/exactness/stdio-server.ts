import { serveStdio } from "../../../runtime/server/run/serve-stdio.ts";
import { createMaximalServer } from "./server.ts";

serveStdio(createMaximalServer());
