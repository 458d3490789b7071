import { serveStdio } from "../../../runtime/server/stdio.ts";
import { createMaximalServer } from "./server.ts";

serveStdio(createMaximalServer());
