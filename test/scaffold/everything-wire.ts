import { beforeAll, describe, it } from "vitest";
import { recordHttp } from "../wire/http.ts";
import { recordHttpSse, recordStdio, recordTcp, recordWebSocket } from "../wire/links.ts";
import { revisionIds, type RevisionId } from "../wire/script.ts";
import { expectTranscript } from "../wire/transcripts.ts";
import { createEverythingProject, type EverythingProject } from "./everything-project.ts";

interface Conversation {
  /** The transcript of the example in this repository. */
  readonly name: string;
  readonly record: typeof recordHttp;
  readonly args: readonly string[];
  /** Default: all. */
  readonly revisions?: readonly RevisionId[];
}

const http = ["--http", "0"];

const newestIds: readonly RevisionId[] = ["2025-11-25", "2026-07-28"];

const conversations: readonly Conversation[] = [
  { name: "everything-stdio", record: recordStdio, args: [] },
  // Messages are the same on every transport that carries nothing else: the newest revision of each lifecycle shows it.
  { name: "everything-stdio", record: recordTcp, args: ["--tcp", "0"], revisions: newestIds },
  { name: "everything-stdio", record: recordWebSocket, args: ["--websocket", "0"], revisions: newestIds },
  { name: "everything-http", record: recordHttp, args: http },
  { name: "everything-http-sse", record: recordHttpSse, args: http, revisions: ["2024-11-05"] },
];

const handshakeIds = revisionIds.filter((id) => id !== "2026-07-28");

/**
 * The project says what the example says, byte for byte but for the texts of errors. Without sessions, and with responses in JSON, the code is the same:
 * the tests of the example suffice.
 */
export function testWire(open: () => EverythingProject): void {
  describe("a project without the newest revision", () => {
    let project: EverythingProject | undefined;
    beforeAll(async () => {
      project = await createEverythingProject(`${open().folder}-sessions`, { protocol: handshakeIds.join(",") });
    });

    it.concurrent.each(["2024-11-05", "2025-11-25"] as const)(
      "the wire at %s is that of the example",
      async (revision) => {
        expectTranscript("everything-stdio", revision, await recordStdio([project?.server ?? ""], revision));
      },
    );
  });

  describe.each(conversations)("$name with $args", ({ name, record, args, revisions = revisionIds }) => {
    it.concurrent.each(revisions)("the wire at %s is that of the example", async (revision) => {
      expectTranscript(name, revision, await record([open().server, ...args], revision));
    });
  });
}
