import { expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createGateway } from "../../../runtime/gateway/index.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { runTranscript, TranscriptError, type TranscriptLine } from "../../../runtime/testing/index.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { toTranscriptTest } from "../../../tools/inspect/page/messages/transcript.ts";
import { TrafficLog } from "../../../tools/inspect/traffic-log.ts";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
const server = defineServer({
  name: "ours",
  version: "1",
  tools: [
    defineTool({
      name: "greet",
      async execute(_none, { log }) {
        await log("debug", "greets");
        return "Hello";
      },
    }),
  ],
});

/** Calls a tool of a server through a gateway, and returns the call as a test. */
async function record(id: string, method: string, level?: string): Promise<string> {
  const log = new TrafficLog();
  const gateway = await createGateway(
    (options) => {
      const [clientEnd, serverEnd] = createInMemoryTransports();
      createServerAcceptor(server)(serverEnd);
      return connect(clientEnd, options);
    },
    { revisions, onTraffic: (entry) => void log.add(entry) },
  );
  const [clientEnd, gatewayEnd] = createInMemoryTransports();
  gateway.accept(gatewayEnd);
  const spoken = revisions.filter((revision) => revision.id === id);
  const connection = await connect(clientEnd, { info: { name: "test", version: "1" }, revisions: spoken });
  if (level !== undefined) await connection.request("logging/setLevel", { level });
  await connection.request("tools/list");
  await connection.request("tools/call", { name: "greet" });
  await gateway.close();
  const call = log.entries.find(
    ({ side, method: sent, kind }) => side === "client" && sent === method && kind === "result",
  );
  if (!call) return expect.fail("no call was observed");
  const onServer = log.entries.find(({ side, method: sent }) => side === "server" && sent === method);
  expect(onServer && toTranscriptTest(log.entries, onServer)).toBeUndefined();
  return toTranscriptTest(log.entries, call) ?? expect.fail("the call cannot be repeated");
}

function readLines(text: string): readonly TranscriptLine[] {
  const lines = text.split("\n").filter((line) => line.startsWith("    ["));
  return lines.map((line) => JSON.parse(line.replace(/,$/, "")));
}

const ids = ["2024-11-05", "2025-11-25", "2026-07-28"];

test.each(ids.flatMap((id) => [[id, "tools/call"] as const, [id, "tools/list"] as const]))(
  "a request at %s that is copied as a test passes: %s",
  async (id, method) => {
    const text = await record(id, method);
    expect(text).toContain(`test("${method}`);
    const lines = readLines(text);
    expect(lines.length).toBeGreaterThanOrEqual(id === "2026-07-28" ? 2 : 5);
    await runTranscript(server, lines);
    const changed = lines.map((line): TranscriptLine => {
      const copy: TranscriptLine = JSON.parse(JSON.stringify(line).replaceAll(/"(Hello|object)"/g, '"changed"'));
      return copy[0] === "<" || copy[0] === "~" ? copy : line;
    });
    await expect(runTranscript(server, changed, { timeout: 50 })).rejects.toThrow(TranscriptError);
  },
);

test.each(["2024-11-05", "2025-11-25"])("the level of log messages at %s is part of a copied test", async (id) => {
  const lines = readLines(await record(id, "tools/call", "debug"));
  expect(JSON.stringify(lines)).toContain("notifications/message");
  await runTranscript(server, lines);
});
