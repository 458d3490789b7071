import { serveStdio } from "../../../runtime/server/stdio.ts";
import { createExtendedServer } from "./extension-server.ts";

serveStdio(createExtendedServer());
