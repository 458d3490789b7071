import { expect, onTestFinished, test, vi } from "vitest";
import { withGrace } from "../../../../runtime/gateway/tasks/upstream-tasks.ts";

test.each([
  ["that is aborted later", false],
  ["that is aborted already", true],
])("a signal follows one %s after two seconds, with its reason", async (_when, isAborted) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] });
  onTestFinished(() => void vi.useRealTimers());
  const controller = new AbortController();
  if (isAborted) controller.abort(new Error("enough"));
  const late = withGrace(controller.signal);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(late.aborted).toBe(isAborted);
  if (isAborted) return expect(late.reason).toEqual(new Error("enough"));
  controller.abort(new Error("enough"));
  await vi.advanceTimersByTimeAsync(1_990);
  expect(late.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(late.reason).toEqual(new Error("enough"));
});
