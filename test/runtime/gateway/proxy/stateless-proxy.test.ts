import { afterEach, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { elicitForm, createProgramOf, joinStateless, openProgram, toRetry, type Ends } from "../upstream/programs.ts";
import { openScripted } from "../upstream/scripted-server.ts";

/* Calls of clients without a session, at a server with sessions. */

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test("the state of a call that waits for input is random, and names no node of a gateway that has none", async () => {
  const gateway = await openProgram(
    createProgramOf(() => ({ tools: [{ name: "form", execute: (_args, context) => elicitForm(context) }] }), newest),
    { ends },
  );
  const client = await joinStateless(gateway, ends);
  const call = { name: "form", arguments: {} };
  const results = [await client.request("tools/call", call), await client.request("tools/call", call)];
  const states = results.map((result) => (isObject(result) ? result.requestState : undefined));
  expect(new Set(states).size).toBe(2);
  for (const state of states) expect(state).toMatch(/^gateway:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  for (const result of results)
    expect(await client.request("tools/call", { ...call, ...toRetry(result) })).toMatchObject({
      content: [{ text: "accept" }],
    });
});

test.each<readonly [string | undefined, readonly string[]]>([
  ["debug", ["debug", "info", "error"]],
  ["error", ["error"]],
  [undefined, []],
])("a call with the log level %s receives no other messages, whatever the server sends", async (level, expected) => {
  const declared = { revision: newest, capabilities: { tools: {}, logging: {} }, ends };
  const { gateway } = await openScripted(declared, (message) => {
    if (message.method === "tools/list") return { tools: [] };
    if (message.method !== "tools/call") return {};
    for (const sent of ["debug", "info", "error"]) message.notify("notifications/message", { level: sent, data: sent });
    return { content: [] };
  });
  const received: unknown[] = [];
  const client = await joinStateless(gateway, ends, {
    loggingMessage: ({ data }: { readonly data: unknown }) => void received.push(data),
  });
  const more = level === undefined ? {} : { _meta: { [meta.logLevel]: level } };
  await client.request("tools/call", { name: "t", arguments: {}, ...more });
  await settle();
  expect(received).toEqual(expected);
});
