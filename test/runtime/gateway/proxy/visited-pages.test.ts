import { expect, test, vi } from "vitest";
import { untilVisited } from "../../../../runtime/gateway/proxy/url-elicitation.ts";
import { PeerError, RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { statelessRevision, newest, revisionOf } from "../../../kit/revisions.ts";
import { createCall, createSession } from "../../../kit/calls.ts";

/* Calls that a server rejects until the user has visited some pages, for a client that knows no such error. */

const pages = ["1", "2"].map((id) => ({ message: "Sign in", url: `https://example.org/${id}`, elicitationId: id }));
const required = (elicitations: unknown = pages): PeerError =>
  new PeerError({ code: -32042, message: "Sign in first", data: { elicitations } });
const able = { elicitation: { url: {} } };
const own = createServer({ name: "a", version: "1" }, [statelessRevision, newest]);

interface Visiting {
  readonly error?: Error;
  readonly server?: typeof newest;
  readonly client?: typeof newest;
  readonly declared?: object;
  readonly mayAsk?: boolean;
  readonly actions?: readonly unknown[];
}

/** Sends a call that the server rejects once. The user responds with these actions. */
function call({
  error = required(),
  server = newest,
  client = statelessRevision,
  declared = able,
  mayAsk = true,
  ...more
}: Visiting) {
  const { actions = ["accept", "accept"] } = more;
  const { signal } = new AbortController();
  const responses = [...actions];
  const send = vi.fn(async () => ({ action: responses.shift() }));
  const context = createCall(own, client, { session: createSession(own, client, declared) });
  const suspended = Object.create({ call: context, mayAsk, signal, ask: send });
  const request = vi.fn(() => Promise.resolve("done")).mockRejectedValueOnce(error);
  return { outcome: untilVisited(request, { suspended, server }), request, ask: send, signal };
}

test("a call is sent again when the user has visited all pages", async () => {
  const { outcome, request, ask: send, signal } = call({});
  expect(await outcome).toBe("done");
  expect(request).toHaveBeenCalledTimes(2);
  expect(send.mock.calls).toEqual(pages.map((page) => ["elicitation/create", { ...page, mode: "url" }, signal]));
});

test.each<readonly [string, Visiting, number]>([
  ["is another error", { error: new PeerError({ code: -32000, message: "no", data: { elicitations: pages } }) }, 0],
  ["is an error of the gateway", { error: new RpcError(-32042, "no", { data: { elicitations: pages } }) }, 0],
  ["has no data", { error: new PeerError({ code: -32042, message: "no" }) }, 0],
  ["has no list of pages", { error: required({}) }, 0],
  ["has no page", { error: required([]) }, 0],
  ["has something else among the pages", { error: required([...pages, 5]) }, 0],
  ["has no such meaning at the revision of the server", { server: statelessRevision }, 0],
  ["is older than such errors", { server: revisionOf("2025-06-18") }, 0],
  ["cannot become a result of the call", { mayAsk: false }, 0],
  ["is one for a client with a session", { client: newest }, 0],
  ["leads to a page that the user declines", { actions: ["accept", "decline"] }, 2],
])("a rejection that %s is passed on", async (_what, visiting, count) => {
  const { outcome, request, ask: send } = call(visiting);
  await expect(outcome).rejects.toBe(visiting.error ?? (await request.mock.results[0]?.value.catch((e: unknown) => e)));
  expect(request).toHaveBeenCalledOnce();
  expect(send).toHaveBeenCalledTimes(count);
});

test("a client that has not declared pages receives the capability that is missing", async () => {
  const { outcome, ask: request } = call({ declared: { elicitation: { form: {} } } });
  const data = { requiredCapabilities: { elicitation: { url: {} } } };
  await expect(outcome).rejects.toMatchObject({ code: -32021, data });
  expect(request).not.toHaveBeenCalled();
});
