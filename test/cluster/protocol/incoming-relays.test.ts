import { describe, expect, test } from "vitest";
import { IncomingRelays } from "../../../cluster/relay/incoming-relays.ts";
import { StatelessRequests } from "../../../cluster/relay/stateless-requests.ts";
import type { Receiver } from "../../../runtime/jsonrpc/channel.ts";
import type { LiveSessions } from "../../../runtime/transport/http-server/session/session-directory.ts";
import { EventStreamResponse } from "../../../runtime/transport/http-server/session/event-stream.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { statelessRevision } from "../../kit/revisions.ts";
import { request } from "../../kit/messages.ts";
import { createGate, type Gate } from "../../kit/time.ts";
import { key } from "../contract/cluster.ts";

/* Requests that another node has received, and this one serves. */

describe("the requests of a session that another node relays", () => {
  /** Relays whose sessions are found when the test opens a gate, and have ended. */
  function create() {
    const gates: Gate[] = [];
    const [log, failures]: [string[], unknown[]] = [[], []];
    const append = async (_key: unknown, { stream }: { readonly stream: string }): Promise<void> => {
      log.push(`unserved ${stream}`);
    };
    const relays = new IncomingRelays({
      events: Object.create({ append }),
      createStream: () => expect.unreachable(),
      nodeName: () => "first",
      fail: (thrown) => void failures.push(thrown),
    });
    const sessions: LiveSessions = Object.create({
      async use() {
        log.push(`search ${gates.length}`);
        const gate = createGate();
        gates.push(gate);
        await gate.opened;
      },
    });
    const listen = (stream: string): void => relays.receive({ kind: "listen", session: key, stream }, sessions);
    const find = async (index: number): Promise<void> => {
      gates[index]?.open();
      await settle();
    };
    return { relays, log, failures, listen, find };
  }

  test("requests are served one after the other, each once, and other messages wait for those before", async () => {
    const { relays, log, failures, listen, find } = create();
    for (const stream of ["a", "a", "b"]) listen(stream);
    await settle();
    expect(log).toEqual(["search 0"]);
    await find(0);
    relays.inOrder(key, () => void log.push("message"));
    relays.inOrder({ ...key, id: "other" }, () => void log.push("message of another session"));
    await settle();
    await find(1);
    relays.inOrder(key, () => void log.push("late message"));
    expect(log).toEqual([
      "search 0",
      "unserved a",
      "search 1",
      "message of another session",
      "unserved b",
      "message",
      "late message",
    ]);
    expect(failures).toEqual([]);
  });

  test("a message that fails is reported, and the next one is handled", async () => {
    const { relays, log, failures, listen, find } = create();
    listen("a");
    await settle();
    const failure = new Error("no");
    relays.inOrder(key, () => {
      throw failure;
    });
    relays.inOrder(key, () => void log.push("next"));
    await find(0);
    expect([failures, log.at(-1)]).toEqual([[failure], "next"]);
  });
});

describe("stateless requests that another node relays", () => {
  interface Serving {
    readonly isClosed?: boolean;
  }

  function create({ isClosed = false }: Serving = {}) {
    const seen: unknown[] = [];
    const { opened, open } = createGate();
    const receiver: Receiver = {
      message: () => expect.unreachable(),
      classified: (incoming) => void seen.push(incoming.kind),
      problem: () => expect.unreachable(),
      ended: () => expect.unreachable(),
      disconnected: (reason) => void seen.push(reason?.message),
    };
    const sessions = Object.create({
      revisions: [statelessRevision],
      settings: { maxStreamBytes: 1_000, metrics: undefined, retry: 5 },
      acceptStateless(channel: { start(to: Receiver): void }, { revision }: { readonly revision: unknown }) {
        if (isClosed) return undefined;
        expect(revision).toBe(statelessRevision);
        channel.start(receiver);
        return { closed: opened };
      },
      adopt: () => void seen.push("adopt"),
    });
    const requests = new StatelessRequests((_key, { name, host }) => new EventStreamResponse(name, host));
    const serve = (value: unknown): boolean =>
      requests.serve({ kind: "post", session: key, value, stream: "s" }, sessions);
    return { requests, seen, serve, end: open };
  }

  test.each<readonly [string, unknown, Serving]>([
    ["a request without metadata", { jsonrpc: "2.0", id: 1, method: "tools/list" }, {}],
    ["a notification with metadata", { ...request(1, "tools/list"), id: undefined }, {}],
    ["a text", "tools/list", {}],
    ["a request while the node closes", request(1, "tools/list"), { isClosed: true }],
  ])("%s is not served", (_what, value, serving) => {
    const { seen, serve } = create(serving);
    expect([serve(value), seen]).toEqual([false, []]);
  });

  test("a request is served, and cancelled if its client disconnects before its connection has ended", async () => {
    const cancelled = create();
    expect(cancelled.serve(request(1, "tools/list"))).toBe(true);
    cancelled.requests.cancel({ ...key, id: "other" });
    expect(cancelled.seen).toEqual(["request", "adopt"]);
    cancelled.requests.cancel(key);
    const reason = "The client closed the connection before the response";
    expect(cancelled.seen).toEqual(["request", "adopt", reason]);
    const ended = create();
    expect(ended.serve(request(1, "tools/list"))).toBe(true);
    ended.end();
    await settle();
    ended.requests.cancel(key);
    expect(ended.seen).toEqual(["request", "adopt"]);
  });
});
