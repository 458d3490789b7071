import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { createGateway, type Gateway, type TrafficEntry } from "../../../runtime/gateway/index.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { defineExtension } from "../../../runtime/server/extensions/define-extension.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { createMockServer } from "../../../tools/replay/mock-server.ts";
import { readRecording } from "../../../tools/replay/read-recording.ts";
import { Recorder } from "../../../tools/replay/write-recording.ts";
import { statelessRevision, newest as handshake } from "../../kit/revisions.ts";
import { clientRequests, extension } from "../../runtime/server/extensions/echo.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";

const extensions = [extension];

const echo = defineExtension(extension, {
  requests: {
    async "echo/say"({ text }, { notify }) {
      await notify("notifications/echo/faded", { text: `${text}…` });
      return { text: text.toUpperCase() };
    },
  },
});

/** Calls the extension through a gateway. Returns the result, and the notifications before it. */
async function call(gateway: Gateway, revision: typeof statelessRevision): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const used = defineExtension(extension, {
    notifications: { "notifications/echo/faded": ({ text }) => void seen.push(text) },
  });
  const info = { name: "client", version: "1" };
  const client = createUntypedClient({ info, revisions: [revision], extensions: [used] });
  const session = await client.connect((options) => {
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    return connect(near, options);
  });
  const { text } = await session.request(clientRequests["echo/say"], { text: "abc" });
  await client.close();
  await gateway.close();
  return [...seen, text];
}

test.each([statelessRevision, handshake])(
  "messages of an extension are recorded and replayed at $id",
  async (revision) => {
    const path = join(await createTemporaryFolder("extension-recording"), "echo.jsonl");
    const server = createServer({ name: "server", version: "1", extensions: [echo] }, [revision]);
    onTestFinished(() => server.close());
    const accept = createServerAcceptor(server, {});
    const open: ConnectionFactory = (options) => {
      const [near, far] = createInMemoryTransports();
      accept(far);
      return connect(near, options);
    };
    const recorder = new Recorder({ path, redact: [], ifExists: "reject", onNotice() {} });
    const entries: TrafficEntry[] = [];
    const gateway = await createGateway(open, {
      revisions,
      extensions,
      onTraffic(entry) {
        entries.push(entry);
        recorder.record(entry);
      },
    });
    recorder.begin(gateway);
    expect(await call(gateway, revision)).toEqual(["abc…", "ABC"]);
    recorder.close();
    expect(entries.filter(({ problem }) => problem !== undefined)).toEqual([]);
    const recording = await readRecording(path, { revisions, extensions });
    const mock = await createGateway(createMockServer(recording), { revisions, extensions, shareConnections: true });
    expect(await call(mock, revision)).toEqual(["abc…", "ABC"]);
  },
);
