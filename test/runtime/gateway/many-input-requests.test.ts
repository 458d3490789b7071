import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { createGateway, type Gateway } from "../../../runtime/gateway/gateway.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { collectWarnings, connectToRequesting, type Way } from "../many-input-requests.ts";
import type { Run } from "../server/input/raw-client.ts";
import { joinGateway } from "./connect-client.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function openGateway(source: ReturnType<typeof connectToRequesting>): Promise<Gateway> {
  const gateway = await createGateway(source, { revisions, onError: () => {} });
  ends.push(() => gateway.close());
  return gateway;
}

/** Calls the tool as a client with a session. */
async function callInSession(
  count: number,
  way: Way,
): Promise<{ readonly result: unknown; readonly requests: number }> {
  const gateway = await openGateway(connectToRequesting(count, way));
  let requests = 0;
  const elicit = (): object => {
    requests += 1;
    return { action: "decline" };
  };
  const client = await joinGateway(gateway, newest, { elicitation: { form: {} }, handlers: { elicit } });
  ends.push(() => client.close());
  const result = await client.request("tools/call", { name: "t" }).catch((error: unknown) => error);
  return { result, requests };
}

test("a result with more than 100 input requests fails the call of a client with a session, which receives none of them", async () => {
  const { result, requests } = await callInSession(101, "result");
  const message = "The server sent more than 100 input requests in one result";
  expect(result).toMatchObject({ code: -32603, message });
  expect(requests).toBe(0);
});

test("a result with 100 input requests reaches a client with a session, without a warning of Node.js", async () => {
  const warnings = collectWarnings();
  const { result, requests } = await callInSession(100, "result");
  expect(result).toMatchObject({ content: [{ text: "done" }] });
  expect(requests).toBe(100);
  expect(await warnings()).toEqual([]);
});

test("a client without a session receives the input requests of a server with sessions in results of at most 100", async () => {
  const execute: Run = async (_args, { elicit }) => {
    const requestedSchema = { type: "object", properties: {} } as const;
    const pending = Array.from({ length: 150 }, (_, index) => elicit({ message: String(index), requestedSchema }));
    return `${(await Promise.all(pending)).length}`;
  };
  const server = createServer({ name: "s", version: "1", tools: [{ name: "t", execute }] }, [newest]);
  const gateway = await openGateway((options) => {
    const [near, far] = createInMemoryTransports();
    serve(server, far);
    return connect(near, options);
  });
  const client = await joinGateway(gateway, statelessRevision, { elicitation: { form: {} } });
  ends.push(() => client.close());
  const { counts, result } = await declineAll(client);
  expect(counts).toEqual([100, 50]);
  expect(result).toMatchObject({ content: [{ text: "150" }] });
});

/** Calls the tool and declines all input requests, until it has its result. */
async function declineAll(client: ClientConnection): Promise<{ readonly counts: number[]; readonly result: unknown }> {
  const counts: number[] = [];
  let result = await client.request("tools/call", { name: "t" });
  while (isObject(result) && isObject(result.inputRequests)) {
    const keys = Object.keys(result.inputRequests);
    counts.push(keys.length);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "decline" }]));
    result = await client.request("tools/call", { name: "t", requestState: result.requestState, inputResponses });
  }
  return { counts, result };
}
