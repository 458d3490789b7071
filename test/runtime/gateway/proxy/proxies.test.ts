import { afterEach, expect, test } from "vitest";
import { Proxies } from "../../../../runtime/gateway/proxy/proxies.ts";
import type { Connection } from "../../../../runtime/protocol/session/connection.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { newest } from "../../../kit/revisions.ts";
import { createCall } from "../../../kit/calls.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { joinGateway } from "../connect-client.ts";
import { openScripted } from "../upstream/scripted-server.ts";

/* The connections of clients to a gateway, which end with it. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

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
  const proxies = new Proxies(Object.create(null));
  const [open, over, late] = [createConnection(), createConnection(), createConnection()];
  for (const { client } of [open, over]) proxies.accept(client);
  over.end();
  await settle();
  await proxies.close();
  proxies.accept(late.client);
  expect([open, over, late].map(({ closed }) => closed())).toEqual([1, 0, 1]);
});

test("a connection without a session of the gateway has no roots to report and no loss", async () => {
  const proxies = new Proxies(Object.create(null));
  const { client } = createConnection();
  expect(await proxies.notifyRootsListChanged(client)).toBeUndefined();
  expect(proxies.lossOf(client)).toBeUndefined();
});

test("a session without a connection to the server hears of changed lists on that of the gateway, and of nothing else", async () => {
  const listChanged = true;
  const capabilities = { tools: { listChanged }, prompts: { listChanged }, resources: { listChanged }, logging: {} };
  const { gateway, received } = await openScripted({ revision: newest, capabilities, ends }, ({ method }) =>
    method === "tools/list" ? { tools: [] } : undefined,
  );
  const notified: string[] = [];
  const names = ["toolListChanged", "promptListChanged", "resourceListChanged", "loggingMessage"];
  const handlers = Object.fromEntries(names.map((name) => [name, () => void notified.push(name)]));
  const client = await joinGateway(gateway, newest, { handlers });
  ends.push(() => client.close());
  const notify = async (): Promise<void> => {
    const [own] = received("initialize");
    own?.notify("notifications/message", { level: "error", data: "a" });
    for (const list of ["tools", "prompts", "resources"]) own?.notify(`notifications/${list}/list_changed`, {});
    await settle();
  };
  await notify();
  expect(notified.splice(0)).toEqual(names.slice(0, 3));
  await client.request("tools/list", {});
  await notify();
  expect(notified).toEqual([]);
});
