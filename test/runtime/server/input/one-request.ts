import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta, request } from "../../../kit/messages.ts";
import { createElicitingServer } from "./input-server.ts";

/** A process that handles one request without a socket, as a function of a cloud does. */
const call = request(1, "tools/call", { name: "several" }, { [meta.capabilities]: { elicitation: {}, roots: {} } });
const headers = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": statelessRevision.id,
  "mcp-method": "tools/call",
  "mcp-name": "several",
};
const sent = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(call) });
const response = await createHttpHandler(createElicitingServer()).fetch(sent);
console.log(await response.text());
