import { afterEach, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import type { AnyContext } from "../../../../runtime/server/protocol-types.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { readText } from "../invalid-server-gateway.ts";
import { elicitForm, createProgramOf, openProgram, serveToPrincipals, toRetry, type Ends } from "./programs.ts";

/* Principals of a gateway: none continues the calls of another, or takes all connections. */

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const call = (name: string, more: object = {}): object => ({ name, arguments: {}, ...more });

function define(began: () => void = () => {}): Partial<AnyServerDefinition> {
  return {
    // Every process has the same keys, as those of one installation may.
    requestState: { keys: [new Uint8Array(32).fill(7)] },
    tools: [
      { name: "asks", execute: (_args: object, context: AnyContext) => elicitForm(context) },
      { name: "quick", execute: () => "done" },
      {
        name: "endless",
        execute: (_args: object, { signal }: AnyContext) =>
          new Promise((_, reject) => {
            began();
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      },
    ],
  };
}

test.each([statelessRevision, newest])(
  "a principal cannot continue the call of another one, of a server of $id",
  async (revision) => {
    const gateway = await openProgram(
      createProgramOf(() => define(), revision),
      { ends },
    );
    const post = await serveToPrincipals(gateway, ["alice", "bob"], ends);
    const retry = call("asks", toRetry(await post("alice", "tools/call", call("asks"))));
    const message = "Invalid params: requestState is unknown or expired; send the request again without it";
    expect(await post("bob", "tools/call", retry)).toMatchObject({ error: { code: -32602, message } });
    expect(readText(await post("alice", "tools/call", retry))).toBe("accept");
  },
);

test("a principal with endless calls leaves connections to others", async () => {
  let begun = 0;
  const program = createProgramOf(() => define(() => void (begun += 1)), newest);
  const gateway = await openProgram(program, { ends, maxConnections: 8 });
  const post = await serveToPrincipals(gateway, ["alice", "bob"], ends);
  const calls = Array.from({ length: 8 }, () => post("alice", "tools/call", call("endless")));
  await expect.poll(() => begun).toBe(4);
  expect(readText(await post("bob", "tools/call", call("quick")))).toBe("done");
  await gateway.close();
  await Promise.allSettled(calls);
});

test("calls that wait for input of one principal do not end those of another", async () => {
  const gateway = await openProgram(
    createProgramOf(() => define(), newest),
    { ends, maxConnections: 8 },
  );
  const post = await serveToPrincipals(gateway, ["alice", "bob"], ends);
  const ofBob = await post("bob", "tools/call", call("asks"));
  const ofAlice: unknown[] = [];
  for (let count = 0; count < 6; count += 1) ofAlice.push(await post("alice", "tools/call", call("asks")));
  expect(ofAlice.every((result) => isObject(result) && result.resultType === "input_required")).toBe(true);
  expect(readText(await post("bob", "tools/call", call("asks", toRetry(ofBob))))).toBe("accept");
});
