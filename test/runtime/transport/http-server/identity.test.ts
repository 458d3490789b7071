import { describe, expect, test } from "vitest";
import { checkOutcome, isIdentity, toGuard, toOrigin } from "../../../../runtime/transport/http-server/identity.ts";

describe("the outcome of a guard", () => {
  test.each([
    [{ principal: "ann" }, true, true],
    [{ principal: "ann", claims: undefined }, true, true],
    [{ principal: "" }, true, false],
    [{ principal: 5 }, false, false],
    [{ status: 401 }, false, true],
    [{ status: 401, principal: "" }, true, true],
    [{ status: "401" }, false, false],
    [{}, false, false],
    ["ann", false, false],
    [null, false, false],
    [undefined, false, false],
    [true, false, false],
  ])("the outcome %j is an identity: %s, and accepted: %s", (outcome, is, isAccepted) => {
    expect(isIdentity(outcome)).toBe(is);
    const check = (): unknown => Reflect.apply(checkOutcome, undefined, [outcome]);
    if (isAccepted) expect(check()).toBe(outcome);
    else expect(check).toThrow("neither a principal nor a response");
  });

  test("a guard may be a function", () => {
    const authenticate = (): { status: number } => ({ status: 401 });
    const guard = { authenticate };
    expect([toGuard(authenticate), toGuard(guard), toGuard(undefined)]).toEqual([guard, guard, undefined]);
    expect(toGuard(guard)).toBe(guard);
  });
});

test("the origin of a message has its sender and its connection, which cannot be released", () => {
  const identity = { principal: "ann" };
  const origin = toOrigin(identity, { address: "10.0.0.1", port: 7, version: "1.1" });
  expect(origin).toMatchObject({
    identity,
    network: { transport: "tcp", protocol: "http", protocolVersion: "1.1", address: "10.0.0.1", port: 7 },
  });
  expect(origin.releaseConnection()).toBe(false);
  expect(toOrigin(undefined, {}).identity).toBeUndefined();
});
