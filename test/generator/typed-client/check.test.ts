import { expect, test } from "vitest";
import {
  all,
  any,
  later,
  members,
  nothing,
  numeric,
  one,
  text,
  types,
  values,
  type Check,
} from "../../../templates/client/check.ts";

/* Functions that the checks of a typed client consist of. The schemas and the values come from a server. */

/** Two kinds of nodes. Each checks the inner node before it finds that the kind is another. */
function createTree(alternatives: (...checks: readonly Check[]) => Check): Check {
  const node: Check = alternatives(
    ...["a", "b"].map((kind) =>
      members({
        required: ["kind"],
        properties: [
          ["node", later(() => node)],
          ["kind", values(kind)],
        ],
      }),
    ),
  );
  return node;
}

function nest(depth: number, kind: string): object {
  let value: object = { kind };
  for (let level = 0; level < depth; level++) value = { node: value, kind };
  return value;
}

test.each([
  ["any", any],
  ["one", one],
])("alternatives that refer to themselves check each value once: %s", (_name, alternatives) => {
  const check = createTree(alternatives);
  expect(check(nest(60, "b"))).toBeUndefined();
  expect(check(nest(60, "c"))).toMatchObject({ path: `${"node/".repeat(60)}kind`, expected: expect.any(String) });
});

test.each([{ a: 1 }, "a"])("definitions that refer to others twice check a value once: %j", (value) => {
  const checks: Check[] = [types("number")];
  for (let index = 0; index < 40; index++) {
    const next = later(() => checks[index] ?? nothing);
    checks.push(any(next, all(next, next)));
  }
  const [last] = checks.slice(-1);
  expect(last?.(value)).toMatchObject({ expected: "number" });
  expect(last?.(1)).toBeUndefined();
});

test("a text that is too long for the engine of a pattern is a problem", () => {
  const pattern = {
    source: "a",
    test: () => {
      throw new RangeError("Maximum call stack size exceeded");
    },
  };
  expect(text({ pattern })("a")).toEqual({ path: "", expected: "text that matches a" });
});

test("exactly one alternative must fit; if none fits, the problem is the innermost one", () => {
  const check = one(types("string"), values("x"), members({ properties: [["a", types("number")]] }), types("object"));
  expect(check("y")).toMatchObject({ expected: expect.stringContaining("only one") });
  expect(one(types("string"), types("number"))(1)).toBeUndefined();
  const inner = members({ properties: [["a", members({ properties: [["b", nothing]] })]] });
  expect(one(types("string"), all(types("object"), inner))({ a: { b: 1 } })).toMatchObject({ path: "a/b" });
});

test("a check that refers to itself accepts what nothing else rejects", () => {
  const loop: Check = all(
    types("object"),
    later(() => loop),
  );
  expect(loop({})).toBeUndefined();
  expect(loop(1)).toMatchObject({ expected: "object" });
});

test("a value that changes is checked again", () => {
  const check = later(() => types("array"));
  const list: unknown[] = [];
  const outer = later(() => members({ properties: [["a", check]] }));
  const value: { a: unknown } = { a: list };
  expect(outer(value)).toBeUndefined();
  value.a = {};
  expect(outer(value)).toMatchObject({ path: "a" });
});

test.each([
  [1_234_567.89, 0.01, true],
  [99_999_999.99, 0.01, true],
  [-4.02, 0.01, true],
  [0, 0.01, true],
  [1_234_567.891, 0.01, false],
  [1e-12, 0.01, false],
  [0.3, 0.1, true],
  [9_007_199_254_740_991, 2, false],
  [9_007_199_254_740_990, 2, true],
  [7.5, 5, false],
])("%d as a multiple of %d: %s", (value, multipleOf, isMultiple) => {
  expect(numeric({ multipleOf })(value) === undefined).toBe(isMultiple);
});
