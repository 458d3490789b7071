import { describe, expect, test } from "vitest";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { EventStreamResponse } from "../../../../runtime/transport/http-server/session/event-stream.ts";
import { SessionStreams } from "../../../../runtime/transport/http-server/session/session-streams.ts";
import { createGate } from "../../../kit/time.ts";
import { WatchedExchange } from "./watched-exchange.ts";

interface Given {
  readonly stored?: Promise<void>;
  readonly isConnected?: boolean;
}

/** A stream with one event, so that its client can resume it. */
function createStream(key: string, { stored, isConnected = false }: Given = {}): EventStreamResponse {
  const host = {
    maxWaiting: 1e6,
    metrics: undefined,
    retry: 5,
    isResumable: true,
    fenced: () => {},
    remember: () => stored,
  };
  const stream = new EventStreamResponse(key, host);
  if (isConnected) stream.connect(new WatchedExchange(null).stream({}));
  void stream.send("event");
  return stream;
}

describe("the streams of a session", () => {
  test("a stream that ends is known until its events are stored", async () => {
    const { opened, open } = createGate();
    const streams = new SessionStreams();
    const stream = createStream("a", { stored: opened });
    streams.add(stream);
    streams.end(stream);
    await settle();
    expect([streams.find("a"), streams.all, stream.isEnded]).toEqual([stream, [stream], true]);
    open();
    await settle();
    expect([streams.find("a"), streams.all]).toEqual([undefined, []]);
  });

  test("a stream that ends is forgotten at once when all of its events are stored", () => {
    const streams = new SessionStreams();
    const stream = createStream("a");
    streams.addListener(stream);
    expect([streams.hasListeners, streams.listener]).toEqual([true, stream]);
    streams.end(stream);
    expect([streams.find("a"), streams.hasListeners, streams.listener]).toEqual([undefined, false, undefined]);
  });

  test("a stream that is forgotten leaves another of the same name", () => {
    const streams = new SessionStreams();
    const [first, second] = [createStream("a"), createStream("a")];
    streams.addListener(first);
    streams.add(second);
    streams.forget(first);
    expect([streams.find("a"), streams.listener]).toEqual([second, undefined]);
  });

  test("a stream opened by GET replaces those without a connection, and the oldest one when there are too many", () => {
    const streams = new SessionStreams();
    const lost = createStream("a");
    const [first, second, third] = ["b", "c", "d"].map((key) => createStream(key, { isConnected: true }));
    if (!first || !second || !third) return expect.unreachable();
    expect(streams.addListener(lost)).toEqual([]);
    expect(streams.addListener(first)).toEqual([lost]);
    expect(streams.addListener(second)).toEqual([]);
    expect(streams.addListener(first)).toEqual([]);
    expect(streams.listener).toBe(first);
    expect(streams.addListener(third)).toEqual([second]);
    expect(streams.all).toEqual([first, third]);
    expect([lost.isEnded, second.isEnded, first.isEnded]).toEqual([true, true, false]);
    expect(["a", "b", "c", "d"].map((key) => streams.isListening(key))).toEqual([false, true, false, true]);
    third.release();
    expect([streams.isListening("d"), streams.listener]).toEqual([false, first]);
  });

  test("a stream opened by GET that is added once more replaces no other", () => {
    const streams = new SessionStreams();
    const [first, second] = [createStream("a", { isConnected: true }), createStream("b", { isConnected: true })];
    for (const stream of [first, second, second]) expect(streams.addListener(stream)).toEqual([]);
    expect([streams.all, streams.listener, first.isEnded]).toEqual([[first, second], second, false]);
  });

  test("a resumed stream ends the connection of another request that has resumed it, and is known until it is finished", async () => {
    const { opened, open } = createGate();
    const streams = new SessionStreams();
    const [before, other] = [createStream("a", { isConnected: true }), createStream("b", { isConnected: true })];
    const resumed = Object.assign(createStream("a", { isConnected: true }), { finished: opened });
    streams.add(before);
    streams.add(other);
    streams.adopt(resumed);
    streams.adopt(resumed);
    expect([before, other, resumed].map(({ isConnected }) => isConnected)).toEqual([false, true, true]);
    expect([streams.find("a"), streams.hasListeners]).toEqual([resumed, false]);
    open();
    await settle();
    expect(streams.all).toEqual([other]);
  });

  test("a resumed stream that was opened by GET gets the messages of the session", () => {
    const streams = new SessionStreams();
    const resumed = Object.assign(createStream("a", { isConnected: true }), { isListener: true });
    streams.adopt(resumed);
    expect(streams.listener).toBe(resumed);
  });
});
