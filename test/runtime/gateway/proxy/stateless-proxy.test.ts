import { afterEach, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { newest } from "../../fixture-revision.ts";
import { askForm, createProgramOf, joinStateless, openProgram, toRetry, type Ends } from "../upstream/programs.ts";

/* Calls of clients without a session, at a server with sessions. */

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test("the state of a call that waits for input is random, and names no node of a gateway that has none", async () => {
  const gateway = await openProgram(
    createProgramOf(() => ({ tools: [{ name: "form", execute: (_args, context) => askForm(context) }] }), newest),
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
