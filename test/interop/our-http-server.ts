import { serveHttp } from "../../runtime/server/run/serve-http.ts";
import { handshakeRevisions } from "../kit/revisions.ts";
import { createOurServer } from "./our-server.ts";

/** Our server over HTTP in a process of its own, which says where it is. */
const ids = handshakeRevisions.map(({ id }) => id);
const { url } = await serveHttp(createOurServer(ids), { port: 0, responseMode: "sse" });
console.log(url);
