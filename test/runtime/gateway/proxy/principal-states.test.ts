import { expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { PrincipalStates } from "../../../../runtime/gateway/proxy/principal-states.ts";

/* Request states and cursors of the server, which a principal brings back and no other one can. */

const waiting = { resultType: "input_required", inputRequests: {} };

test.each<readonly [string, object, readonly string[]]>([
  ["the state of a result that requires input", { ...waiting, requestState: "s" }, ["requestState"]],
  ["no empty state", { ...waiting, requestState: "" }, []],
  ["no state that is not text", { ...waiting, requestState: 5 }, []],
  ["no missing state", waiting, []],
  ["no state of a complete result, where it has another meaning", { content: [], requestState: "s" }, []],
  ["the cursor of a list", { tools: [], nextCursor: "c" }, ["nextCursor"]],
  ["no empty cursor, which ends the lists of some servers", { tools: [], nextCursor: "" }, []],
  ["no cursor that is not text", { tools: [], nextCursor: 5 }, []],
])("a gateway signs %s", async (_what, result, signed) => {
  const states = new PrincipalStates();
  const given: unknown = await states.sign(result, "alice");
  if (!isObject(given)) return expect.unreachable("a result is an object");
  const changed = Object.keys(given).filter((name) => given[name] !== Reflect.get(result, name));
  expect(changed).toEqual(signed);
  expect(Object.keys(given)).toEqual(Object.keys(result));
  const { requestState, nextCursor } = given;
  const params = {
    ...(signed.includes("requestState") && { requestState }),
    ...(signed.includes("nextCursor") && { cursor: nextCursor }),
  };
  const { requestState: state, nextCursor: cursor }: Record<string, unknown> = { ...result };
  expect(await states.verify(params, "alice")).toEqual({
    ...(signed.includes("requestState") && { requestState: state }),
    ...(signed.includes("nextCursor") && { cursor }),
  });
  if (signed.length > 0) await expect(states.verify(params, "mallory")).rejects.toMatchObject({ code: -32602 });
});

test("a state is no cursor, and a cursor is no state", async () => {
  const states = new PrincipalStates();
  const signed: unknown = await states.sign({ ...waiting, requestState: "a", nextCursor: "b" }, "alice");
  const { requestState, nextCursor } = isObject(signed) ? signed : {};
  await expect(states.verify({ cursor: requestState }, "alice")).rejects.toThrow("Invalid cursor");
  await expect(states.verify({ requestState: nextCursor }, "alice")).rejects.toThrow("requestState is unknown");
});

test("an empty state and an empty cursor reach the server as they are", async () => {
  const params = { requestState: "", cursor: "" };
  expect(await new PrincipalStates().verify(params, "alice")).toEqual(params);
});

test("results and params pass unchanged without a principal, and when they are no objects", async () => {
  const states = new PrincipalStates();
  const result = { ...waiting, requestState: "a", nextCursor: "b" };
  expect(await states.sign(result, undefined)).toBe(result);
  expect(await states.verify(result, undefined)).toBe(result);
  expect(await states.sign("text", "alice")).toBe("text");
  expect(await states.verify(undefined, "alice")).toBeUndefined();
});
