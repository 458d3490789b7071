import { afterEach, expect, it, onTestFinished } from "vitest";
import { connect } from "../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { defineExtension } from "../../../runtime/server/extensions/define-extension.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { statelessRevision, newest as handshake } from "../../kit/revisions.ts";
import { clientNotifications, clientRequests, extension } from "../../runtime/server/extensions/echo.ts";
import { startServerNodes, type ServerNodes } from "./server-nodes.ts";

let nodes: ServerNodes | undefined;

afterEach(async () => {
  await nodes?.close();
  nodes = undefined;
});

it.each([statelessRevision, handshake])("an extension works on several nodes at $id", async (revision) => {
  const received: string[] = [];
  const faded: string[] = [];
  const used: number[] = [];
  const served = (node: number): ReturnType<typeof defineExtension> =>
    defineExtension(extension, {
      requests: {
        async "echo/say"({ text }, { notify, request }) {
          used.push(node);
          await notify("notifications/echo/faded", { text: `${text}…` });
          return revision === handshake ? request("echo/voice", { text }) : { text: text.toUpperCase() };
        },
      },
      notifications: { "notifications/echo/heard": ({ text }) => void received.push(text) },
    });
  nodes = await startServerNodes((node) => ({ name: "echo", version: "1", extensions: [served(node)] }));
  const { urlOf } = nodes;
  let count = 0;
  // Each request, and each response to a server, goes to the next node.
  const fetchNext = (_url: string | URL, init: RequestInit): Promise<Response> => fetch(urlOf((count += 1) % 3), init);
  const client = createUntypedClient({
    info: { name: "client", version: "1" },
    revisions: [revision],
    extensions: [
      defineExtension(extension, {
        requests: { "echo/voice": ({ text }) => ({ text: `a voice says ${text}` }) },
        notifications: { "notifications/echo/faded": ({ text }) => void faded.push(text) },
      }),
    ],
  });
  onTestFinished(() => client.close());
  const session = await client.connect((options) =>
    connect(createHttpClientTransport(urlOf(0), { fetch: fetchNext }), options),
  );
  for (const text of ["a", "b", "c", "d"]) {
    const expected = revision === handshake ? `a voice says ${text}` : text.toUpperCase();
    expect(await session.request(clientRequests["echo/say"], { text })).toMatchObject({ text: expected });
    await session.notify(clientNotifications["notifications/echo/heard"], { text });
  }
  await expect.poll(() => [...received].sort(), { timeout: 60_000 }).toEqual(["a", "b", "c", "d"]);
  await expect.poll(() => faded, { timeout: 60_000 }).toEqual(["a…", "b…", "c…", "d…"]);
  // A session belongs to one node, which the others relay to.
  expect(new Set(used).size).toBe(revision === handshake ? 1 : 3);
});
