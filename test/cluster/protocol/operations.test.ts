import { expect, onTestFinished, test, vi } from "vitest";
import { Health } from "../../../cluster/engine/health.ts";
import { Operations } from "../../../cluster/engine/operations.ts";

/** Operations with the default time of the engines on Redis and NATS, on a clock that the test advances. */
function createOperations(isRejection?: (problem: string) => boolean): Operations {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const health = new Health("Redis");
  health.connected();
  return new Operations({ product: "Redis", health, timeout: 1_000, ...(isRejection && { isRejection }) });
}

test("an operation of an engine that does not respond fails after 1 s, and not before", async () => {
  let outcome: unknown;
  const operating = createOperations().perform("GET", () => new Promise(() => {}));
  operating.catch((error: unknown) => (outcome = error));
  await vi.advanceTimersByTimeAsync(999);
  expect(outcome).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(String(outcome)).toContain("Redis could not perform GET (no reply within 1000 ms); try again later");
});

test("an operation of an engine that responds leaves no timer behind", async () => {
  expect(await createOperations().perform("GET", () => Promise.resolve("value"))).toBe("value");
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ["gets no reply to", false, "Redis has failed repeatedly; try again later"],
  ["rejects", true, "Redis could not perform GET (ERR no); try again later"],
])("an engine that %s operations is used further: %s", async (_which, isRejected, message) => {
  const operations = createOperations((problem) => isRejected && problem === "ERR no");
  const perform = (): Promise<unknown> => operations.perform("GET", () => Promise.reject(new Error("ERR no")));
  for (let count = 0; count < 20; count += 1) await perform().catch(() => {});
  await expect(perform()).rejects.toThrow(message);
});
