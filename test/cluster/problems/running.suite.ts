import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, type OnTestFinishedHandler } from "vitest";
import { isObject } from "../../../generated/support.ts";
import type { CallContext } from "../../../runtime/protocol/peer/incoming-call.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { call, initialize, textOf, type HttpResponse, type Stream } from "../../kit/http-exchange.ts";
import { log, start, type Rig, type Session, type Tool } from "../../kit/http-server.ts";

/** Store of a test, with a server of its own. */
export interface TestStore {
  /** Creates an engine for one more node. */
  createEngine(): Engine;
  /** Starts the server again with its data. */
  restart(): Promise<void>;
  /** Starts the server again without its data. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Problem of a store while a node uses it. */
export interface StoreFault<Store> {
  readonly name: string;
  begin(store: Store): Promise<void>;
  end(store: Store): Promise<void>;
}

interface TestNode<Store> {
  readonly store: Store;
  readonly engine: Engine;
  readonly rig: Rig;
  /** Returns the state that `/ready` reports. */
  readState(): Promise<unknown>;
}

type OnTestFinished = (end: OnTestFinishedHandler) => void;

function expectUnavailable({ status, headers, text }: HttpResponse): void {
  expect([status, text]).toEqual([503, expect.stringContaining("error")]);
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(headers["mcp-session-id"]).toBeUndefined();
}

/** Repeats a request until it is accepted: the store may need some time after a fault. */
async function retry(request: () => Promise<HttpResponse>): Promise<HttpResponse> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await request();
    if (response.status !== 503 || attempt > 100) return response;
    await sleep(100);
  }
}

/** Reads a stream to the response, and opens it again whenever it ends before. Returns its messages, or the status of a rejection at the end. */
async function readToResponse(session: Session, first: Stream): Promise<readonly unknown[]> {
  const received: unknown[] = [];
  let stream = first;
  let lastId: string | undefined;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    await stream.end();
    if (stream.status !== 200 && stream.status !== 503) return [...received, stream.status];
    received.push(...stream.messages);
    if (stream.messages.some((message) => isObject(message) && "result" in message)) return received;
    lastId = stream.events.at(-1)?.id ?? lastId;
    await sleep(100);
    stream = await session.listen(lastId);
  }
  return received;
}

const [before, during] = [{ params: { data: "before" } }, { params: { data: "during" } }];

/**
 * Declares the tests of a store that stops to accept writes, to respond, or to know what it had stored, while a node uses it: no response claims what
 * was not stored, and the node continues when the store does.
 */
export function describeRunning<Store extends TestStore>(
  product: string,
  startStore: () => Promise<Store>,
  faults: readonly StoreFault<Store>[],
): void {
  const startNode = async (tools: Record<string, Tool>, onTestFinished: OnTestFinished): Promise<TestNode<Store>> => {
    const store = await startStore();
    onTestFinished(() => store.close());
    const engine = store.createEngine();
    const cluster = await joinCluster(engine, { lease: 1_000, onError: () => {} });
    onTestFinished(() => cluster.close());
    const rig = await start(tools, { retry: 20, ready: "/ready", cluster });
    onTestFinished(() => rig.close());
    return { store, engine, rig, readState: async () => readStatus(await rig.send({ method: "GET", path: "/ready" })) };
  };

  /** Starts a call that sends a message, waits for `proceed`, and sends another message and its result. Waits for the first one. */
  const startReport = async (onTestFinished: OnTestFinished): Promise<Report<Store>> => {
    let proceed = (): void => {};
    const waiting = new Promise<void>((resolve) => (proceed = resolve));
    const tools = {
      async report(context: CallContext) {
        await log(context, "before");
        await waiting;
        await log(context, "during").catch(() => log(context, "during"));
        return "result";
      },
    };
    const { store, rig } = await startNode(tools, onTestFinished);
    const session = await rig.open();
    const stream = await session.postStream(call(1, "report"));
    await stream.message();
    return { store, session, stream, proceed };
  };

  test.concurrent.for(faults)(
    "$name: requests are rejected with 503 and not executed, and accepted afterwards",
    async (fault, { onTestFinished }) => {
      let executed = 0;
      const tools = { count: () => (executed += 1) };
      const { store, engine, rig, readState } = await startNode(tools, onTestFinished);
      const session = await rig.open();
      expect(textOf((await session.post(call(1, "count"))).json)).toBe("1");
      await fault.begin(store);
      expectUnavailable(await session.post(call(2, "count")));
      expectUnavailable(await rig.send({ body: initialize("2025-11-25") }));
      expect(await readState()).toBe("degraded");
      for (const problem of engine.status().problems) expect(problem.length).toBeLessThanOrEqual(120);
      expect(executed).toBe(1);
      await fault.end(store);
      expect(textOf((await retry(() => session.post(call(2, "count")))).json)).toBe("2");
      const opened = await retry(() => rig.send({ body: initialize("2025-11-25") }));
      expect(opened.headers["mcp-session-id"]).toBeDefined();
      await expect.poll(() => readState()).toBe("ok");
    },
  );

  test.concurrent.for(faults)(
    "$name while a call runs: its events arrive once and in order when it works again",
    async (fault, { onTestFinished }) => {
      const { store, session, stream, proceed } = await startReport(onTestFinished);
      await fault.begin(store);
      proceed();
      await sleep(1_500);
      expect(stream.messages.length, "messages that were not stored").toBe(1);
      await fault.end(store);
      const result = { content: [{ text: "result" }] };
      expect(await readToResponse(session, stream)).toMatchObject([before, during, { id: 1, result }]);
    },
  );

  describe(`${product} that has lost its data`, () => {
    test.concurrent("sessions are unknown, and new ones work", async ({ onTestFinished }) => {
      const { store, rig } = await startNode({ count: () => 1 }, onTestFinished);
      const session = await rig.open();
      await store.forget();
      expect((await retry(() => session.post(call(1, "count")))).status).toBe(404);
      const next = await rig.open();
      expect(textOf((await next.post(call(1, "count"))).json)).toBe("1");
    });

    test.concurrent(
      "a call that runs ends without a response, and its stream is unknown",
      async ({ onTestFinished }) => {
        const { store, session, stream, proceed } = await startReport(onTestFinished);
        await store.forget();
        proceed();
        expect(await readToResponse(session, stream)).toMatchObject([before, 404]);
      },
    );
  });
}

interface Report<Store> {
  readonly store: Store;
  readonly session: Session;
  readonly stream: Stream;
  /** Lets the call continue. */
  proceed(): void;
}

function readStatus({ json }: HttpResponse): unknown {
  return isObject(json) ? json.status : undefined;
}
