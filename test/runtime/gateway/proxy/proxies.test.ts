import { expect, test } from "vitest";
import { Proxies } from "../../../../runtime/gateway/proxy/proxies.ts";
import type { Connection } from "../../../../runtime/protocol/session/connection.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { newest } from "../../fixture-revision.ts";
import { createCall } from "../../server/call.ts";
import { settle } from "../../wire.ts";

/* The connections of clients to a gateway, which end with it. */

/** Creates a connection of a client that counts how often it is closed. */
function createConnection() {
  const { connection } = createCall(createServer({ name: "a", version: "1" }, [newest]), newest, {});
  let closed = 0;
  let end = (): void => {};
  const client: Connection = {
    ...connection,
    closed: new Promise((resolve) => (end = () => resolve(undefined))),
    async close() {
      closed += 1;
    },
  };
  return { client, end: () => end(), closed: () => closed };
}

test("a gateway that is closed closes the connections of its clients, except ended ones", async () => {
  const proxies = new Proxies();
  const [open, over, late] = [createConnection(), createConnection(), createConnection()];
  for (const { client } of [open, over]) proxies.accept(client);
  over.end();
  await settle();
  await proxies.close();
  proxies.accept(late.client);
  expect([open, over, late].map(({ closed }) => closed())).toEqual([1, 0, 1]);
});

test("a connection without a session of the gateway has no roots to report and no loss", async () => {
  const proxies = new Proxies();
  const { client } = createConnection();
  expect(await proxies.notifyRootsListChanged(client)).toBeUndefined();
  expect(proxies.lossOf(client)).toBeUndefined();
});

test("a gateway that is not served yet takes no session", () => {
  const { client } = createConnection();
  expect(() => new Proxies().add(client)).toThrow("The gateway has no transport yet; serve it first");
});
