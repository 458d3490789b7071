import { expect, test } from "vitest";
import type { Channel } from "../../../runtime/jsonrpc/channel.ts";
import { replaceMembers } from "../../../runtime/jsonrpc/replace-members.ts";

class Sink implements Channel {
  #sent = 0;
  readonly maxBuffered = 7;
  get buffered(): number {
    return this.#sent;
  }
  start(): void {}
  send(): void {
    this.#sent += 1;
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

test("other members are replaced, and the rest is that of the channel", () => {
  const sink = new Sink();
  const abandoned: unknown[] = [];
  const channel = replaceMembers(sink, { maxBuffered: 9, abandon: (id) => void abandoned.push(id) });
  const { send } = channel;
  void send({ jsonrpc: "2.0", method: "m" });
  channel.abandon?.(1);
  expect([sink.buffered, channel.buffered, channel.maxBuffered, sink.maxBuffered, abandoned]).toEqual([
    1,
    1,
    9,
    7,
    [1],
  ]);
});

test("members that the channel does not have stay absent, also those of the prototype of the replacements", () => {
  const channel = replaceMembers(new Sink(), {});
  expect([channel.agree, channel.failed]).toEqual([undefined, undefined]);
  expect(channel.toString).not.toBe(Object.prototype.toString);
});
