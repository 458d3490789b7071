import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, serveHttp } from "../../../../runtime/index.ts";
import { inTime } from "../../../in-time.ts";

const spoken = revisions.filter(({ lifecycle }) => lifecycle === "handshake");

test.each([
  ["on which nothing was asked yet", ""],
  ["whose client keeps it for the next request", "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"],
])("a connection %s does not delay a server that closes", async (_name, sent) => {
  const options = { closeTimeout: 600_000, headersTimeout: 600_000, requestTimeout: 600_000 };
  const listener = await serveHttp(createServer({ name: "test", version: "1.0.0" }, spoken), options);
  const socket = connect(Number(new URL(listener.url).port), "127.0.0.1");
  await once(socket, "connect");
  const ended = once(
    socket.on("error", () => {}),
    "close",
  );
  if (sent !== "") {
    socket.write(sent);
    await once(socket, "data");
  } else {
    // The server has to accept it, too.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await inTime(Promise.all([listener.close(), ended]), "The end of the server");
  expect(socket.destroyed).toBe(true);
});
