import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { SuspendedCall } from "../../../runtime/gateway/proxy/suspended-call.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { alone } from "../lifecycle/stateless.ts";
import { createCall } from "../server/call.ts";

/* A call of a client without a session, whose server requests input. */

const question = { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } };

function suspend(): { readonly call: SuspendedCall; end(): void; ask(signal: AbortSignal): Promise<unknown> } {
  const row = alone.clientRequests["tools/call"];
  if (!row) return expect.unreachable("the revision has tools");
  const context = createCall(createServer({ name: "a", version: "1" }, [alone]), alone, {});
  const call = new SuspendedCall(context, row, { name: "a" });
  let end = (): void => {};
  call.begin(new Promise((resolve) => (end = () => resolve({}))));
  return { call, end: () => end(), ask: (signal) => call.ask("elicitation/create", question, signal) };
}

test("input requests of a call that is suspended leave no listeners on the signal of the server", async () => {
  const { signal } = new AbortController();
  const { call, ask, end } = suspend();
  const answered = ask(signal);
  const unanswered = ask(signal);
  expect(await call.next()).toEqual({ kind: "asked" });
  call.respond({ "createElicitation-1": { action: "decline" }, "elicit-1": { action: "decline" } });
  end();
  await Promise.allSettled([answered, unanswered]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an input request is rejected after the end of its call, or when its signal is aborted", async () => {
  const { ask, end } = suspend();
  await expect(ask(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  end();
  await new Promise((resolve) => setImmediate(resolve));
  await expect(ask(new AbortController().signal)).rejects.toThrow("The call of the client has ended");
});
