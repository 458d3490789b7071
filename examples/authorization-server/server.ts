import { parseArgs } from "node:util";
import { startAuthorizationServer } from "./authorization-server.ts";

/* Authorization server for development: `--port 4000 --resource http://127.0.0.1:3000/mcp --scope notes:read --scope notes:write`. */

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4000" },
    resource: { type: "string", default: "http://127.0.0.1:3000/mcp" },
    scope: { type: "string", multiple: true, default: ["notes:read", "notes:write"] },
    user: { type: "string", default: "alice" },
  },
});

const server = await startAuthorizationServer({
  port: Number(values.port),
  resources: { [values.resource]: values.scope },
  user: values.user,
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
console.error(`${server.issuer} issues tokens for ${values.resource} to the user ${values.user}.`);
