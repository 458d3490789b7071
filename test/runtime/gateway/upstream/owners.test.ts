import { expect, test } from "vitest";
import { Owners, type Owner } from "../../../../runtime/gateway/upstream/owners.ts";
import type { CallContext } from "../../../../runtime/protocol/session/call-context.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { newest } from "../../../kit/revisions.ts";
import { createCall } from "../../../kit/calls.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

/* Owners of calls: calls of one owner may use a connection to the server one after the other. */

const ours = createServer({ name: "a", version: "1" }, [newest]);

interface Caller {
  call(principal?: string): CallContext;
  end(): void;
}

/** Creates a connection of a client, on which it sends calls. */
function connect(): Caller {
  let end = (): void => {};
  const closed = new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
  return {
    end: () => end(),
    call(principal) {
      const origin = principal === undefined ? undefined : { identity: { principal } };
      const call = createCall(ours, newest, { origin });
      return { ...call, connection: { ...call.connection, closed } };
    },
  };
}

function create({ shareSessions = false, isStateless = false } = {}) {
  const over: Owner[] = [];
  const owners = new Owners({
    shareSessions,
    isStateless: () => isStateless,
    onOver: (owner) => void over.push(owner),
  });
  return { owners, over };
}

test.each([
  ["with sessions", {}],
  ["with shared sessions", { shareSessions: true }],
  ["with stateless requests", { isStateless: true }],
])("a principal is one owner on all of its connections, at a server %s", (_server, options) => {
  const { owners } = create(options);
  const [first, second] = [connect(), connect()];
  const alice = owners.of(first.call("alice"));
  expect(alice).toEqual({
    key: "principal alice",
    principal: "alice",
    client: "alice",
    sharesSessions: true,
    isOver: false,
  });
  expect(owners.of(second.call("alice"))).toEqual(alice);
  expect(owners.of(first.call("bob")).key).not.toBe(alice.key);
  expect(owners.of(connect().call("")).principal).toBe("");
});

test("a connection without a principal is an owner until it ends", async () => {
  const { owners, over } = create();
  const [first, second] = [connect(), connect()];
  const owner = owners.of(first.call());
  expect(owner).toMatchObject({ principal: undefined, sharesSessions: true, isOver: false });
  expect(owners.of(first.call())).toBe(owner);
  expect(owners.of(second.call()).key).not.toBe(owner.key);
  expect(over).toEqual([]);
  first.end();
  await settle();
  expect(over).toEqual([owner]);
  expect([owner.isOver, owners.of(second.call()).isOver]).toEqual([true, false]);
});

test.each([
  ["where they share sessions", { shareSessions: true }, true],
  ["where requests are stateless", { isStateless: true }, false],
])("callers without a principal are one owner %s, with a client each", (_where, options, sharesSessions) => {
  const { owners } = create(options);
  const [first, second] = [connect(), connect()].map((caller) => owners.of(caller.call()));
  expect(first).toMatchObject({ key: "everyone", principal: undefined, sharesSessions, isOver: false });
  expect(second?.key).toBe("everyone");
  expect(second?.client).not.toBe(first?.client);
});
