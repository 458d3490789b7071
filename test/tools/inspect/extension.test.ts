import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { knownExtensions } from "../../../runtime/gateway/extensions.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { defineExtension } from "../../../runtime/server/extensions/define-extension.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { InputRequests } from "../../../tools/inspect/input-requests.ts";
import { Sessions } from "../../../tools/inspect/sessions.ts";
import { TrafficLog } from "../../../tools/inspect/traffic-log.ts";
import { statelessRevision, newest as handshake } from "../../kit/revisions.ts";
import { extension, id } from "../../runtime/server/extensions/echo.ts";

test.each([statelessRevision, handshake])("the page shows an extension and its messages at $id", async (revision) => {
  const echo = defineExtension(extension, {
    requests: {
      async "echo/say"({ text }, { notify }) {
        await notify("notifications/echo/faded", { text });
        return { text };
      },
    },
  });
  const server = createServer({ name: "echo", version: "1", extensions: [echo] }, [revision]);
  const extensions = [...knownExtensions, extension];
  const log = new TrafficLog();
  const gateway = await createGateway(
    (options) => {
      const [near, far] = createInMemoryTransports();
      serve(server, far);
      return connect(near, options);
    },
    { revisions, extensions, onTraffic: (entry) => void log.add(entry) },
  );
  const sessions = new Sessions({
    gateway,
    revisions,
    extensions,
    input: new InputRequests(() => {}),
    onChange() {},
    onListChanged() {},
  });
  onTestFinished(async () => {
    await sessions.closeAll();
    await gateway.close();
    await server.close();
  });
  const session = await sessions.open(revision.id);
  expect(await session.request("echo/say", { text: "hi" })).toMatchObject({ text: "hi" });
  expect(sessions.states[revision.id]).toMatchObject({ kind: "open", capabilities: { extensions: { [id]: {} } } });
  const shownOf = (name: string): readonly string[] =>
    log.entries.filter(({ method }) => method === name).map(({ kind, side }) => `${kind} ${side}`);
  expect(shownOf("echo/say")).toEqual(["request client", "request server", "result server", "result client"]);
  expect(shownOf("notifications/echo/faded")).toEqual(["notification server", "notification client"]);
  expect(log.entries.filter(({ problem }) => problem)).toEqual([]);
});
