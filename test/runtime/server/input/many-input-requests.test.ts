import { expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { inputRequired } from "../../../../runtime/server/input/input-required.ts";
import { collectWarnings } from "../../many-input-requests.ts";
import { serveExtension } from "../../tasks/extension-wire.ts";
import { anything, connectRaw, formParams, type Context, type RawCall, type Run } from "./raw-client.ts";

/** Sends this number of input requests concurrently. */
const elicitAll = async (count: number, { elicit }: Pick<Context, "elicit">): Promise<string> => {
  const pending = Array.from({ length: count }, (_, index) => elicit(formParams(String(index))));
  return (await Promise.all(pending)).map(({ action }) => action).join("");
};

const decline = (keys: readonly string[]): object =>
  Object.fromEntries(keys.map((key) => [key, { action: "decline" }]));

test("a handler that sends 150 input requests concurrently sends them in two results", async () => {
  const raw = connectRaw((_args, context) => elicitAll(150, context));
  const rounds: RawCall[] = [await raw.call()];
  for (let last = rounds[0]; last && last.keys.length > 0; last = rounds.at(-1)) {
    rounds.push(await raw.again(last, decline(last.keys)));
  }
  expect(rounds.map(({ keys }) => keys.length)).toEqual([100, 50, 0]);
  expect(rounds.at(-1)?.text).toBe("decline".repeat(150));
  expect(raw.reports).toEqual([]);
});

test("a task that sends 150 input requests concurrently shows 100, and further ones after their responses, without a warning of Node.js", async () => {
  const warnings = collectWarnings();
  const execute: Run = (_args, context) => elicitAll(150, context);
  const { request, until } = serveExtension({
    tools: [{ name: "t", inputSchema: anything, task: true, execute }],
  });
  const { taskId } = await request("tools/call", { name: "t" });
  const openKeys = async (): Promise<readonly string[]> => {
    const { inputRequests } = await request("tasks/get", { taskId });
    return isObject(inputRequests) ? Object.keys(inputRequests) : [];
  };
  await expect.poll(async () => (await openKeys()).length).toBe(100);
  await request("tasks/update", { taskId, inputResponses: decline(await openKeys()) });
  await expect.poll(async () => (await openKeys()).length).toBe(50);
  await request("tasks/update", { taskId, inputResponses: decline(await openKeys()) });
  expect(await until(taskId, "completed")).toMatchObject({
    result: { content: [{ text: "decline".repeat(150) }] },
  });
  expect(await warnings()).toEqual([]);
});

test("a handler that returns more than 100 input requests fails with an error for its author", () => {
  const create = (count: number) => (): unknown => {
    const keys = Array.from({ length: count }, (_, index) => [`k${index}`, { method: "roots/list" }]);
    return inputRequired({ inputRequests: Object.fromEntries(keys) });
  };
  expect(create(100)).not.toThrow();
  expect(create(101)).toThrow("inputRequired got 101 inputRequests; return at most 100 in one round");
});
