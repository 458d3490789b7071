import { serveStdio } from "../../../runtime/server/run/serve-stdio.ts";
import { createExtendedServer } from "./extension-server.ts";

serveStdio(createExtendedServer());
