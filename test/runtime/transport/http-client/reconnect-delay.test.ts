import { expect, test } from "vitest";
import { sleep, toDelay, toReconnection } from "../../../../runtime/transport/http-client/reconnect-delay.ts";

const reconnection = toReconnection();

test.each([
  [0, 0, 500],
  [0, 1, 1_000],
  [1, 1, 1_500],
  [2, 0, 1_125],
  [3, 1, 3_375],
  [50, 1, 30_000],
  [50, 0, 15_000],
  [5_000, 1, 30_000],
])("the delay after %i failed attempts and with random number %f is %f ms", (fruitless, random, milliseconds) => {
  expect(toDelay(fruitless, { retry: undefined, reconnection }, random)).toBe(milliseconds);
});

test.each([
  [0, 500, 500],
  [0, 120_000, 120_000],
  [3, 500, 3_375],
  [3, 60_000, 60_000],
  [0, 0, 500],
  [0, 120, 500],
  [0, 999_999_999_999_999, 2_147_483_647],
])("the delay after %i failed attempts and with %i ms of the server is %i (T-41)", (fruitless, retry, milliseconds) => {
  expect(toDelay(fruitless, { retry, reconnection }, 1)).toBe(milliseconds);
});

test("a wait ends with its signal", async () => {
  const controller = new AbortController();
  const waiting = sleep(60_000, controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(sleep(1, controller.signal)).rejects.toThrow("enough");
  await sleep(1, new AbortController().signal);
});
