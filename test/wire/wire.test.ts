import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordHttp } from "./http.ts";
import { inOrder, withoutErrorTexts } from "./normalize.ts";
import { revisionIds, type RevisionId } from "./script.ts";
import { recordHttpSse, recordStdio, recordTcp, recordWebSocket } from "./links.ts";

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

describe.each(subjects)("$name", ({ name, record, args, revisions = revisionIds }) => {
  it.concurrent.each(revisions)("says at %s what it said before", async (revision) => {
    const lines = inOrder(await record(args, revision));
    const file = join(import.meta.dirname, "transcripts", name, `${revision}.txt`);
    if (process.env.WIRE_UPDATE === "1") write(file, lines);
    expect(lines.map(withoutErrorTexts)).toEqual(read(file, revision).map(withoutErrorTexts));
  });
});

function read(file: string, revision: RevisionId): readonly string[] {
  if (!existsSync(file)) throw new Error(`There is no transcript of ${revision}: record it with WIRE_UPDATE=1.`);
  return readFileSync(file, "utf8").replace(/\n$/, "").split("\n");
}

function write(file: string, lines: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
}
