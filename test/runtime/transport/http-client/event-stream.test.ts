import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toLimits } from "../../../../runtime/jsonrpc/limits.ts";
import { HttpError } from "../../../../runtime/transport/http-client/errors.ts";
import { EventStreamReader } from "../../../../runtime/transport/http-client/event-stream.ts";
import { toReconnection } from "../../../../runtime/transport/http-client/reconnect-delay.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream without events that ends after a time in milliseconds. */
function openQuiet(duration: number): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(":\n\n"));
      setTimeout(() => controller.close(), duration);
    },
  });
  return new Response(body);
}

/** Follows streams that `open` opens. Returns the times at which it was called, in milliseconds, and the error at the end. */
function follow(open: (count: number) => Response): { readonly times: readonly number[]; readonly ended: Error[] } {
  const times: number[] = [];
  const ended: Error[] = [];
  const stream = new EventStreamReader({
    limits: toLimits({}),
    reconnection: toReconnection(),
    sink: { message() {}, problem() {} },
    signal: new AbortController().signal,
    isDone: () => false,
    restarts: true,
    open: async () => open(times.push(performance.now())),
  });
  stream.follow(openQuiet(0)).catch((error: Error) => ended.push(error));
  return { times, ended };
}

test("a quiet stream that is ended each minute is opened again after a second", async () => {
  const { times } = follow(() => openQuiet(60_000));
  await vi.advanceTimersByTimeAsync(20 * 61_000);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(gaps.length).toBeGreaterThan(18);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(61_500);
});

test("a stream that ends at once without an event is opened again after growing delays", async () => {
  const { times } = follow(() => openQuiet(0));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(times.length).toBeLessThan(12);
});

test("a stream is given up after consecutive failed attempts, whatever the number of quiet ones before", async () => {
  const unavailable = (): never => {
    throw new HttpError("The server returned HTTP 503", { status: 503, body: "" });
  };
  const { times, ended } = follow((count) => (count < 9 || count === 10 ? openQuiet(20_000) : unavailable()));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(times).toHaveLength(15);
  expect(ended).toMatchObject([{ name: "LostError", message: "The stream could not be resumed in 5 attempts" }]);
});
