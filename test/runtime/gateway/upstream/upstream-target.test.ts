import { expect, test } from "vitest";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { connectUpstream } from "../../../../runtime/gateway/upstream/upstream-target.ts";

/* Where the server of a gateway is. */

test("a function that opens connections is used as it is, and a target of an unknown kind is an error", () => {
  const open: ConnectionFactory = () => Promise.reject(new Error("no"));
  expect(connectUpstream(open)).toBe(open);
  const target = Object.create(null, { kind: { value: "post", enumerable: true } });
  expect(() => connectUpstream(target)).toThrow('The target is not supported: {"kind":"post"}');
});
