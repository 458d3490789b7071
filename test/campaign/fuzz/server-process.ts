import { runServer } from "../../../runtime/server/run/run-server.ts";
import { createFuzzedServer } from "../../fuzz/defined-subjects.ts";
import { maxMessageBytes } from "../../fuzz/lines.ts";
import { statelessRevision, handshakeRevisions } from "../../kit/revisions.ts";

/* Program of the tested server in a process of its own: over its standard streams, or over HTTP with `--http`. With `FUZZ_STATELESS` it has no sessions. */

const revisions = process.env["FUZZ_STATELESS"] === undefined ? handshakeRevisions : [statelessRevision];

/** Lets the process end with an error, which is a problem of the conversation. */
function fail(kind: string, error: Error): void {
  console.error(`${kind}: ${error.stack}`);
  process.exitCode = 1;
}

const server = createFuzzedServer((error) => fail("callback", error), revisions);

await runServer(server, {
  limits: { maxMessageBytes },
  // A client on a busy machine would send on a connection that closes just then.
  keepAliveTimeout: 75_000,
  onError({ kind, error }) {
    if (kind === "result" || kind === "handler") fail(kind, error);
  },
});
