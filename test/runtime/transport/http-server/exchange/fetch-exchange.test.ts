import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FetchExchange } from "../../../../../runtime/transport/http-server/exchange/fetch-exchange.ts";
import { settle } from "../../../../../runtime/testing/manual-clock.ts";
import { rejectUnhandledRejections } from "../../../../kit/unhandled-rejections.ts";

interface Given extends Omit<RequestInit, "body"> {
  readonly url?: string;
  readonly chunks?: readonly (string | Uint8Array)[];
  readonly isOpen?: boolean;
}

rejectUnhandledRejections();

const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;

function open({ url = "http://localhost/mcp?a=1&b=", chunks, isOpen = false, ...init }: Given = {}) {
  const cancels: unknown[] = [];
  const body =
    chunks &&
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(bytesOf(chunk));
        if (!isOpen) controller.close();
      },
      cancel: () => void cancels.push("cancelled"),
    });
  const streaming = { method: "POST", body, duplex: "half" } as const;
  const request = new Request(url, { ...(body && streaming), ...init });
  return { exchange: new FetchExchange(request), cancels };
}

describe("the head of a request of the web platform", () => {
  test("the head of a request has what the platform reports, and no more", () => {
    const { exchange } = open({ method: "DELETE", headers: { "x-a": "1" } });
    expect(exchange).toMatchObject({
      method: "DELETE",
      path: "/mcp",
      host: "localhost",
      hosts: ["localhost"],
      isCut: false,
      isGone: false,
      address: undefined,
    });
    expect(exchange.certificate()).toBeUndefined();
    expect([exchange.header("X-A"), exchange.header("x-b")]).toEqual(["1", undefined]);
    expect(["a", "b", "c"].map((name) => exchange.query(name))).toEqual(["1", "", undefined]);
  });

  test.each([
    ["the same host", "localhost", "localhost", ["localhost"]],
    ["the host and its default port", "localhost:80", "localhost", ["localhost"]],
    ["the host in capitals", "LOCALHOST", "localhost", ["localhost"]],
    ["another host", "evil.example", "localhost", ["localhost", "evil.example"]],
    ["another port", "localhost:81", "localhost", ["localhost", "localhost:81"]],
    ["no host", "/", "localhost", ["localhost", "/"]],
    ["two hosts", "localhost, localhost", undefined, []],
  ])("a request whose Host line has %s names these hosts", (_what, line, host, hosts) => {
    const { exchange } = open({ headers: { host: line } });
    expect([exchange.host, exchange.hosts]).toEqual([host, hosts]);
  });

  test.each([
    ["a, b", true],
    ["a,b", false],
    ["a", false],
    [undefined, false],
  ])("a field with the value %j counts as repeated: %s", (value, isRepeated) => {
    const { exchange } = open({ headers: value === undefined ? {} : { "x-a": value } });
    expect(exchange.isRepeated("x-a")).toBe(isRepeated);
  });
});

describe("the body of a request of the web platform", () => {
  const limits = { maxBytes: 4, timeout: 60_000 };

  test.each([
    ["no body", {}, { kind: "text", text: "" }, 0],
    ["as many bytes as the limit", { chunks: ["ab", "cd"] }, { kind: "text", text: "abcd" }, 0],
    ["more bytes than the limit", { chunks: ["ab", "cde"], isOpen: true }, { kind: "too-large" }, 1],
    ["more bytes than the limit at once", { chunks: ["abcde"], isOpen: true }, { kind: "too-large" }, 1],
    ["a character in two pieces", { chunks: [bytesOf("é").slice(0, 1), bytesOf("é").slice(1)] }, { text: "é" }, 0],
    ["bytes that are not UTF-8", { chunks: [new Uint8Array([0xff])] }, { kind: "not-text" }, 0],
  ])("%s is read as it is", async (_what, given, expected, cancelled) => {
    const { exchange, cancels } = open(given);
    expect(await exchange.readBody(limits)).toMatchObject(expected);
    expect(cancels).toHaveLength(cancelled);
  });

  test("a body that was read leaves no timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { exchange } = open({ chunks: ["a", "b"] });
    expect(await exchange.readBody(limits)).toMatchObject({ text: "ab" });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a body whose reading cannot be cancelled is too large all the same", async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(bytesOf("abcde")),
      cancel: () => Promise.reject(new Error("broken")),
    });
    const init = { method: "POST", body, duplex: "half" };
    const exchange = new FetchExchange(new Request("http://localhost/mcp", init));
    expect(await exchange.readBody(limits)).toEqual({ kind: "too-large" });
    await settle();
  });

  test("a body whose rest does not arrive in time is late, and is not read further", async () => {
    const { exchange, cancels } = open({ chunks: ["a"], isOpen: true });
    expect(await exchange.readBody({ ...limits, timeout: 5 })).toEqual({ kind: "late" });
    expect(cancels).toEqual(["cancelled"]);
  });
});

describe("the response of the web platform", () => {
  test("a response has the fields that were added, which replace its own; an error of the server has only its own", async () => {
    const [fine, failed] = [open().exchange, open().exchange];
    for (const exchange of [fine, failed]) {
      exchange.addFields({ "x-a": "1", "x-b": "1" });
      exchange.addFields({ "x-b": "2" });
    }
    fine.respond({ status: 201, headers: { "x-a": "0", "x-c": "3" }, body: "text" });
    failed.fail({ status: 500, headers: { "x-c": "3" } });
    const [response, error] = await Promise.all([fine.response, failed.response]);
    expect([response.status, await response.text()]).toEqual([201, "text"]);
    expect(["x-a", "x-b", "x-c"].map((name) => response.headers.get(name))).toEqual(["1", "2", "3"]);
    expect([error.status, error.body]).toEqual([500, null]);
    expect(["x-a", "x-b", "x-c"].map((name) => error.headers.get(name))).toEqual([null, null, "3"]);
  });

  test("a stream has the fields that were added, its watchers, and an end at which each listener is called once", async () => {
    const { exchange } = open();
    const watched: unknown[] = [];
    const calls: string[] = [];
    exchange.addFields({ "x-a": "1" });
    for (const name of ["first", "second"]) exchange.onStream((writer) => watched.push([name, writer]));
    const writer = exchange.stream({ "content-type": "text/event-stream" });
    writer.onClose(() => calls.push("early"));
    writer.write("a");
    writer.write("é");
    const drained = writer.drained();
    writer.end();
    await drained;
    writer.end();
    writer.destroy();
    writer.write("late");
    writer.onClose(() => calls.push("late"));
    await writer.drained();
    const response = await exchange.response;
    expect([response.status, response.headers.get("content-type"), response.headers.get("x-a")]).toEqual([
      200,
      "text/event-stream",
      "1",
    ]);
    expect(watched).toEqual([
      ["first", writer],
      ["second", writer],
    ]);
    expect([calls, await response.text()]).toEqual([["early", "late"], "aé"]);
  });

  test("a reader that leaves a stream ends it, and one that reads lets its writer go on", async () => {
    const { exchange } = open();
    const writer = exchange.stream({});
    let [isDrained, isClosed] = [false, false];
    writer.onClose(() => (isClosed = true));
    const reader = (await exchange.response).body?.getReader();
    await settle();
    writer.write("x".repeat(70_000));
    void writer.drained().then(() => (isDrained = true));
    await settle();
    expect([writer.waiting, isDrained]).toEqual([70_000, false]);
    await reader?.read();
    await settle();
    expect([writer.waiting, isDrained, isClosed]).toEqual([0, true, false]);
    await reader?.cancel();
    expect(isClosed).toBe(true);
    writer.write("late");
  });

  test("a failure destroys a stream that has begun", async () => {
    const { exchange } = open();
    const writer = exchange.stream({});
    let isClosed = false;
    writer.onClose(() => (isClosed = true));
    exchange.fail({ status: 500 });
    const response = await exchange.response;
    expect([response.status, isClosed]).toEqual([200, true]);
    await expect(response.text()).rejects.toThrow("aborted");
  });

  test("a client that disconnects is noticed once by each listener, before and after", async () => {
    const client = new AbortController();
    const { exchange } = open({ signal: client.signal });
    const calls: string[] = [];
    exchange.onClose(() => calls.push("early"));
    await settle();
    expect([exchange.isGone, calls]).toEqual([false, []]);
    client.abort();
    expect(exchange.isGone).toBe(true);
    exchange.onClose(() => calls.push("late"));
    expect(calls).toEqual(["early"]);
    await settle();
    expect(calls).toEqual(["early", "late"]);
  });
});
