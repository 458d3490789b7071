import { describe, expect, test } from "vitest";
import { omit, readKnownMember, withoutUnknownMembers } from "../../../runtime/protocol/revision/known-members.ts";
import { revisionOf } from "../../kit/revisions.ts";

describe("a member of a value from the peer", () => {
  test.each([
    ["2025-11-25", { execution: { taskSupport: "required" } }, { taskSupport: "required" }],
    ["2025-11-25", {}, undefined],
    ["2025-11-25", ["execution"], undefined],
    ["2025-11-25", null, undefined],
    ["2025-06-18", { execution: { taskSupport: "required" } }, undefined],
    ["2026-07-28", { execution: { taskSupport: "required" } }, undefined],
  ])("Tool.execution at %s of %j is %j", (id, value, expected) => {
    expect(readKnownMember(value, "Tool.execution", revisionOf(id))).toEqual(expected);
  });

  test("the name of a member follows the last dot of its path", () => {
    const params = { context: 1, "params.context": 2 };
    expect(readKnownMember(params, "CompleteRequest.params.context", revisionOf("2025-06-18"))).toBe(1);
  });
});

describe("members around a result", () => {
  const result = { resultType: "complete", ttlMs: 5, cacheScope: "public", tools: [] };

  test("a result keeps the members that the revision has", () => {
    expect(withoutUnknownMembers(result, revisionOf("2026-07-28"))).toBe(result);
  });

  test("a result loses the members that only other revisions have", () => {
    expect(withoutUnknownMembers(result, revisionOf("2025-11-25"))).toEqual({ tools: [] });
    expect(withoutUnknownMembers({ tools: [], ttlMs: 5 }, revisionOf("2025-11-25"))).toEqual({ tools: [] });
  });

  test.each([[{ tools: [] }], ["text"], [null], [undefined], [[1]]])("the result %j stays the same", (value) => {
    expect(withoutUnknownMembers(value, revisionOf("2025-11-25"))).toBe(value);
  });
});

test("an object is copied without some of its members", () => {
  expect(omit({ a: 1, b: 2, c: 3 }, "a", "c", "d")).toEqual({ b: 2 });
});
