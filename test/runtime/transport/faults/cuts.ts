import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { call, textOf, type Stream } from "../../../kit/http-exchange.ts";
import { log, type Session, type Tool } from "../../../kit/http-server.ts";
import { until } from "../../../kit/time.ts";

/** A tool that counts aloud, and waits for nobody to hear it. */
export const count: Tool = async (context, { to }) => {
  for (let n = 1; n <= Number(to); n += 1) {
    void log(context, n);
    if (n % 7 === 0) await delay(1);
  }
  return to;
};

/** Has the tool `count` count, cuts the stream of its response so many times and comes back: nothing is lost or doubled. */
export async function cutAndResume(session: Session, atLeast: number): Promise<void> {
  const to = atLeast * 10;
  let stream: Stream = await session.postStream(call(1, "count", { to }));
  const seen: unknown[] = [];
  let last: string | undefined;
  let cuts = 0;
  for (;;) {
    const taken = await readSome(stream, cuts < atLeast ? 1 + (cuts % 12) : Infinity);
    for (const { data, id } of taken) {
      last = id;
      if (data !== "") seen.push(JSON.parse(data));
    }
    if (seen.some((message) => Reflect.get(Object(message), "id") === 1)) break;
    cuts += 1;
    stream.cut();
    stream = await session.listen(last);
    expect(stream.status).toBe(200);
  }
  expect(cuts).toBeGreaterThanOrEqual(atLeast);
  const numbers = seen
    .slice(0, -1)
    .map((message) => Reflect.get(Object(Reflect.get(Object(message), "params")), "data"));
  expect(numbers).toEqual(Array.from({ length: to }, (_value, index) => index + 1));
  expect(textOf(seen.at(-1))).toBe(String(to));
}

/** Some events of a stream, as few as asked for, or all up to its end. */
async function readSome(
  stream: Stream,
  atLeast: number,
): Promise<readonly { readonly data: string; readonly id: string | undefined }[]> {
  await until(() => stream.events.length >= atLeast || stream.isEnded, "an event");
  return stream.events.slice(0, atLeast);
}
