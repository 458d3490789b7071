import { describe, expect, test } from "vitest";
import { openEnvelope, sealEnvelope } from "../../../cluster/engine/envelope.ts";
import { Health } from "../../../cluster/engine/health.ts";
import { KeyRing } from "../../../cluster/engine/key-ring.ts";
import { isBroadcast, isNodeMessage } from "../../../cluster/engine/node-message.ts";
import { parseLimited } from "../../../cluster/engine/parse-limited.ts";
import { TaskValues } from "../../../cluster/engine/task-values.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";

/* What the engines store: each value is valid in its place, and with its keys, only. */

const session = { id: "s", owner: "alice" };
const incoming = { kind: "notification", method: "notifications/initialized" };

describe("messages between nodes", () => {
  const messages: readonly object[] = [
    { kind: "deliver", session, incoming },
    { kind: "deliver", session: { id: "s" }, incoming },
    { kind: "send", session, text: "{}" },
    { kind: "resumed", session, stream: "1" },
    { kind: "listen", session, stream: "1" },
    { kind: "post", session, value: {} },
    { kind: "post", session, value: {}, identity: {}, stream: "1", isStateless: true },
    { kind: "changed", session },
    { kind: "ended", session },
    { kind: "task", id: "t", owner: "alice" },
    { kind: "task", id: "t", owner: "alice", from: "node" },
  ];
  test.each(messages)("a message is one: %j", (message) => {
    expect(isNodeMessage(message)).toBe(true);
  });

  const others: readonly unknown[] = [
    undefined,
    null,
    "changed",
    [],
    {},
    { kind: "other", session },
    ...["deliver", "send", "resumed", "listen", "post", "changed", "ended"].flatMap((kind) => [
      { kind, incoming, text: "{}", stream: "1" },
      { kind, session: "s", incoming, text: "{}", stream: "1" },
      { kind, session: { id: 1 }, incoming, text: "{}", stream: "1" },
      { kind, session: { id: "s", owner: 1 }, incoming, text: "{}", stream: "1" },
    ]),
    { kind: "deliver", session },
    { kind: "deliver", session, incoming: "request" },
    { kind: "deliver", session, incoming: { kind: 1 } },
    { kind: "send", session, text: {} },
    { kind: "resumed", session, stream: 1 },
    { kind: "listen", session },
    { kind: "post", session, identity: "alice" },
    { kind: "post", session, stream: 1 },
    { kind: "post", session, isStateless: 1 },
    { kind: "task", id: 1, owner: "alice" },
    { kind: "task", id: "t" },
    { kind: "task", id: "t", owner: "alice", from: 1 },
  ];
  test.each(others)("anything else is no message: %j", (message) => {
    expect(isNodeMessage(message)).toBe(false);
  });
});

describe("broadcasts", () => {
  const broadcasts: readonly object[] = [
    { kind: "notification", handler: "toolListChanged" },
    { kind: "notification", handler: "toolListChanged", params: {}, sender: "node" },
    { kind: "updated", uris: ["file:///a", "file:///"] },
    { kind: "topic", topic: "t", handler: "h", params: {} },
    { kind: "lists", node: "n", digests: { tools: "d" } },
    { kind: "lists", node: "n", digests: {} },
    { kind: "revoked", key: "k", until: 1 },
  ];
  test.each(broadcasts)("a broadcast is one: %j", (broadcast) => {
    expect(isBroadcast(broadcast)).toBe(true);
  });

  const others: readonly unknown[] = [
    undefined,
    null,
    "updated",
    {},
    { kind: "other" },
    ...broadcasts.map((broadcast) => ({ ...broadcast, sender: 1 })),
    { kind: "notification", handler: 1 },
    { kind: "notification", handler: "h", params: "p" },
    { kind: "updated", uris: "file:///a" },
    { kind: "updated", uris: [] },
    { kind: "updated", uris: ["file:///a", 1] },
    { kind: "topic", topic: 1, handler: "h", params: {} },
    { kind: "topic", topic: "t", handler: 1, params: {} },
    { kind: "topic", topic: "t", handler: "h" },
    { kind: "lists", node: 1, digests: {} },
    { kind: "lists", node: "n", digests: "d" },
    { kind: "lists", node: "n", digests: { tools: "d", prompts: 1 } },
    { kind: "revoked", key: 1, until: 1 },
    { kind: "revoked", key: "k", until: "1" },
  ];
  test.each(others)("anything else is no broadcast: %j", (broadcast) => {
    expect(isBroadcast(broadcast)).toBe(false);
  });
});

const [older, newer] = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
const secrets = { older: older ?? new Uint8Array(), newer: newer ?? new Uint8Array() };
const createRing = (keys: readonly Uint8Array[], encrypt = true, prefix = "p"): KeyRing =>
  new KeyRing(keys, { prefix, encrypt });

describe("keys of a cluster", () => {
  const ring = createRing([secrets.newer, secrets.older]);
  const before = createRing([secrets.older]);

  test.each<readonly [string, readonly Uint8Array[]]>([
    ["none", []],
    ["a short one", [new Uint8Array(31)]],
    ["a short one after a long one", [secrets.older, new Uint8Array(31)]],
  ])("keys are rejected: %s", (_, keys) => {
    expect(() => createRing(keys)).toThrow("keys requires at least one key with 32 random bytes");
  });

  test("a value is read in its place, with each key, and nowhere else", () => {
    const sealed = before.encrypt("place", "text");
    expect(sealed).toMatch(/^e1\.[\w-]+$/);
    expect(sealed).not.toContain("text");
    expect([ring, before].map((one) => one.decrypt("place", sealed))).toEqual(["text", "text"]);
    expect(ring.decrypt("other", sealed)).toBeUndefined();
    expect(createRing([secrets.newer]).decrypt("place", sealed)).toBeUndefined();
    expect(createRing([secrets.older], true, "q").decrypt("place", sealed)).toBeUndefined();
  });

  test("equal values are encrypted differently", () => {
    expect(ring.encrypt("place", "text")).not.toBe(ring.encrypt("place", "text"));
  });

  test.each(["", "text", "e1.", "e1.AAAA", `e1.${"A".repeat(36)}`, `e1.${"A".repeat(60)}`])(
    "a value that no key has encrypted is not read: %j",
    (value) => {
      expect(ring.decrypt("place", value)).toBeUndefined();
      expect(ring.open("place", value)).toBeUndefined();
    },
  );

  test("an empty text is a value as well", () => {
    expect(ring.decrypt("place", ring.encrypt("place", ""))).toBe("");
  });

  test("values are encrypted if the user wants that, and an encrypted one is not taken for a clear one", () => {
    const clear = createRing([secrets.newer], false);
    expect(clear.seal("place", "text")).toBe("text");
    expect(clear.open("place", "text")).toBe("text");
    expect(clear.open("place", ring.seal("place", "text"))).toBeUndefined();
    expect(ring.open("place", ring.seal("place", "text"))).toBe("text");
    expect(ring.seal("place", "text")).not.toContain("text");
  });

  test("a value of an older key is outdated, if there is a newer one", () => {
    const sealed = before.encrypt("place", "text");
    expect(ring.isOutdated("place", sealed)).toBe(true);
    expect(ring.isOutdated("place", ring.encrypt("place", "text"))).toBe(false);
    expect(before.isOutdated("place", sealed)).toBe(false);
    expect(createRing([secrets.newer]).isOutdated("place", sealed)).toBe(false);
  });

  test("a signature is valid for its text, in its place, with each key", () => {
    const signature = before.sign("place", "text");
    expect(ring.verify("place", "text", signature)).toBe(true);
    expect(createRing([secrets.newer]).verify("place", "text", signature)).toBe(false);
    for (const [place, text, given] of [
      ["other", "text", signature],
      ["place", "other", signature],
      ["place", "text", signature.slice(1)],
      ["place", "text", ""],
    ] as const)
      expect(ring.verify(place, text, given)).toBe(false);
  });

  test("pseudonyms differ by kind, id, owner and key, the current key's first", () => {
    const tags = [
      ring.tags("session", "a"),
      ring.tags("session", "b"),
      ring.tags("task", "a"),
      ring.tags("session", "a", "alice"),
    ];
    expect(tags.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
    expect(new Set(tags.flat()).size).toBe(8);
    expect(tags.flat().every((tag) => /^[\w-]{22}$/.test(tag))).toBe(true);
    expect(ring.tags("session", "a")).toEqual(tags[0]);
    expect(before.tags("session", "a")[0]).toBe(tags[0]?.[1]);
  });
});

describe("envelopes", () => {
  const ring = createRing([secrets.newer]);
  const sealed = sealEnvelope(ring, "place", { a: 1 });
  const parts: Record<string, unknown> = Object(JSON.parse(sealed));

  test("an envelope is opened in its place, with its keys", () => {
    expect(openEnvelope(ring, "place", sealed)).toEqual({ a: 1 });
    expect(openEnvelope(ring, "other", sealed)).toBeUndefined();
    expect(openEnvelope(createRing([secrets.older]), "place", sealed)).toBeUndefined();
  });

  test.each<readonly [string, unknown]>([
    ["no JSON", "{"],
    ["a list", []],
    ["another version", { ...parts, v: 2 }],
    ["no version", { ...parts, v: undefined }],
    ["no body", { ...parts, body: undefined }],
    ["no signature", { ...parts, mac: undefined }],
    ["a number as its signature", { ...parts, mac: 1 }],
    ["another body", { ...parts, body: ring.encrypt("place", "{}") }],
    ["a body that is signed, and not encrypted", { ...parts, body: "{}", mac: ring.sign("place", "{}") }],
  ])("an envelope is not opened with %s", (_, envelope) => {
    const text = typeof envelope === "string" ? envelope : JSON.stringify(envelope);
    expect(openEnvelope(ring, "place", text)).toBeUndefined();
  });

  test("a text is parsed up to its limit", () => {
    expect(parseLimited("[1,2]", 5)).toEqual([1, 2]);
    expect(parseLimited("[1,2]", 4)).toBeUndefined();
  });
});

describe("stored tasks", () => {
  const ring = createRing([secrets.newer], false);
  const health = new Health("Redis");
  const values = new TaskValues({ ring, health, maxTaskSize: 1_000 });
  const record: TaskRecord = {
    id: "task-1",
    owner: "alice",
    principal: "alice@example.com",
    status: "working",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    ttl: 1_000,
    pollInterval: 500,
    retry: {
      revision: "r",
      params: { name: "x" },
      client: { info: undefined, capabilities: {} },
      identity: { principal: "alice@example.com", scopes: ["a"] },
    },
  };

  test("a task is read as it was stored, without its ids and principals in clear text", () => {
    const text = values.seal("place", record);
    expect(values.open("place", text)).toEqual(record);
    for (const secret of ["task-1", "alice"]) expect(text).not.toContain(secret);
    expect(text).toContain('"name":"x"');
    const { retry: _, ...plain } = record;
    expect(values.open("place", values.seal("place", { ...plain, ttl: null }))).toEqual({ ...plain, ttl: null });
  });

  const { status: _status, ...withoutStatus } = record;
  test.each<readonly [string, string]>([
    ["in another place", values.seal("other", record)],
    ["without its status", values.seal("place", Object(withoutStatus))],
    ["with a lifetime that is text", values.seal("place", { ...record, ttl: Object("1") })],
    ["without a lifetime", values.seal("place", { ...record, ttl: Object(undefined).ttl })],
    ["without its ids", JSON.stringify({ ...record, identity: undefined })],
    ["with ids in clear text", JSON.stringify({ ...record, identity: JSON.stringify({ id: "x", owner: "y" }) })],
    ["that is no JSON", "{"],
    ["that is a list", "[]"],
    ["that is too large", values.seal("place", { ...record, statusMessage: "x".repeat(values.maxSize) })],
  ])("a text is no task %s, and is counted", (_, text) => {
    const known = health.read().problems.join();
    expect(values.open("place", text)).toBeUndefined();
    expect(health.read().problems.join()).not.toBe(known);
  });

  test("a principal that was added in clear text is not read", () => {
    const { principal: _, retry: __, ...anonymous } = record;
    const retry = { revision: "r", params: {}, client: { info: undefined, capabilities: {} } };
    const stored: object = Object(JSON.parse(values.seal("place", { ...anonymous, retry })));
    const forged = { ...stored, principal: "eve", retry: { ...retry, identity: { principal: "eve" } } };
    expect(values.open("place", JSON.stringify(forged))).toEqual({ ...anonymous, retry });
  });

  test("a text of the greatest size is read", () => {
    const empty = values.seal("place", { ...record, statusMessage: "" }).length;
    const text = values.seal("place", { ...record, statusMessage: "x".repeat(values.maxSize - empty) });
    expect(text).toHaveLength(values.maxSize);
    expect(values.open("place", text)?.status).toBe("working");
  });

  test("a change applies to a task that has not ended, by its attempt or a later one", () => {
    const change = { status: "completed", updatedAt: "2026-01-02T00:00:00.000Z" } as const;
    const second = { ...record, attempt: 2 };
    expect(values.change(record, change, 1)).toEqual({ ...record, ...change });
    expect(values.change(second, change, 2)).toEqual({ ...second, ...change });
    expect(values.change(second, change, 1)).toBeUndefined();
    for (const status of ["completed", "failed", "cancelled"] as const)
      expect(values.change({ ...record, status }, change, 1)).toBeUndefined();
  });

  test("a task is taken over by the next attempt, unless it has ended", () => {
    expect(values.takeOver(record, "n")).toEqual({ ...record, node: "n", attempt: 2 });
    expect(values.takeOver({ ...record, attempt: 4 }, "n")).toMatchObject({ attempt: 5 });
    expect(values.takeOver({ ...record, status: "failed" }, "n")).toBeUndefined();
  });

  test("an outcome that is too large is replaced by an error, and the rest of the task stays", () => {
    const done = (text: string): Partial<TaskRecord> => ({
      status: "completed",
      outcome: { kind: "result", result: { text } },
    });
    const empty = JSON.stringify({ ...record, ...done("") }).length;
    const fits = done("x".repeat(1_000 - empty));
    expect(values.change(record, { ...fits, updatedAt: record.updatedAt }, 1)).toEqual({ ...record, ...fits });
    const updatedAt = "2026-01-02T00:00:00.000Z";
    const message = "The result is not stored; it is larger than a task may be";
    expect(values.change(record, { ...done("x".repeat(1_001 - empty)), updatedAt }, 1)).toEqual({
      ...record,
      updatedAt,
      status: "failed",
      statusMessage: message,
      outcome: { kind: "error", error: { code: -32603, message } },
    });
    const long = { statusMessage: "x".repeat(2_000), updatedAt };
    expect(values.change(record, long, 1)).toEqual({ ...record, ...long });
  });
});
