import { describe, it } from "vitest";
import { recordHttp } from "./http.ts";
import { recordHttpSse, recordStdio, recordTcp, recordWebSocket } from "./links.ts";
import { revisionIds, type RevisionId } from "./script.ts";
import { expectTranscript, writeTranscript } from "./transcripts.ts";

/*
 * Conversations with the example servers and the gateway, byte for byte as they were recorded. Texts of error messages are
 * compared by their presence. `WIRE_UPDATE=1 npm run test:wire` records them again: read the difference before you commit it.
 */

const everything = "dist/examples/everything/server.js";
const echo = "dist/examples/echo/server.js";
const gateway = "dist/bundle/generator/cli.js";
const behind = ["--", process.execPath, everything];

/** Programs, with their transport and the revisions that are recorded. */
const subjects: readonly Subject[] = [
  { name: "everything-stdio", record: recordStdio, args: [everything] },
  { name: "everything-http", record: recordHttp, args: [everything, "--http", "0"] },
  { name: "everything-http-json", record: recordHttp, args: [everything, "--http", "0", "--json"] },
  { name: "everything-http-stateless", record: recordHttp, args: [everything, "--http", "0", "--stateless"] },
  { name: "everything-http-sse", record: recordHttpSse, args: [everything, "--http", "0"], revisions: ["2024-11-05"] },
  { name: "echo-stdio", record: recordStdio, args: [echo] },
  { name: "echo-http", record: recordHttp, args: [echo, "--http", "0"] },
  { name: "gateway-stdio", record: recordStdio, args: [gateway, "gateway", "--stdio", ...behind] },
  { name: "gateway-http", record: recordHttp, args: [gateway, "gateway", "--listen", "127.0.0.1:0", ...behind] },
  {
    name: "gateway-http-sse",
    record: recordHttpSse,
    args: [gateway, "gateway", "--listen", "127.0.0.1:0", ...behind],
    revisions: ["2024-11-05"],
  },
  { name: "gateway-tcp", record: recordTcp, args: [gateway, "gateway", "--listen", "tcp://127.0.0.1:0", ...behind] },
  {
    name: "gateway-websocket",
    record: recordWebSocket,
    args: [gateway, "gateway", "--listen", "ws://127.0.0.1:0", ...behind],
  },
];

interface Subject {
  readonly name: string;
  readonly record: (args: readonly string[], revision: RevisionId) => Promise<readonly string[]>;
  readonly args: readonly string[];
  /** Default: all. */
  readonly revisions?: readonly RevisionId[];
}

// Of all subjects at the same time: a conversation that takes longer than others delays none.
describe.concurrent.each(subjects)("$name", ({ name, record, args, revisions = revisionIds }) => {
  it.concurrent.each(revisions)("the wire at %s is equal to its transcript", async (revision) => {
    const recorded = await record(args, revision);
    if (process.env.WIRE_UPDATE === "1") writeTranscript(name, revision, recorded);
    expectTranscript(name, revision, recorded);
  });
});
