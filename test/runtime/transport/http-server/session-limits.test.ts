import { describe, expect, onTestFinished, test } from "vitest";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import type { SessionStore } from "../../../../runtime/stores/session-store.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { createServiceHandler, type HttpHandler } from "../../../../runtime/transport/http-server/handler.ts";
import type { HttpOptions, HttpService } from "../../../../runtime/transport/http-server/settings.ts";
import { acceptBoth, initialize } from "../../../kit/http-exchange.ts";
import { createService } from "../../../kit/http-server.ts";
import { override } from "../../../kit/override.ts";
import { createGate } from "../../../kit/time.ts";

/* How many sessions a server has: those for which it has room, which are in use, and whose clients are there. */

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

interface PostOptions {
  readonly session?: string;
  readonly user?: string;
  readonly signal?: AbortSignal;
}

class Rig {
  readonly handler: HttpHandler;

  constructor(options: HttpOptions, service: Partial<HttpService> = {}) {
    const authenticate: HttpOptions["authenticate"] = (head) => ({ principal: head.header("x-user") ?? "ada" });
    this.handler = createServiceHandler(
      { ...createService({}), ...service },
      { authenticate, onError: () => {}, ...options },
    );
    onTestFinished(() => this.handler.close());
  }

  post(body: object, { session, user, signal }: PostOptions = {}): Promise<Response> {
    const headers = {
      ...{ accept: acceptBoth, "content-type": "application/json" },
      ...(session !== undefined && { "mcp-session-id": session }),
      ...(user !== undefined && { "x-user": user }),
    };
    const init = { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) };
    return this.handler.fetch(new Request("http://localhost/", init));
  }

  /** Opens a session, and returns the status and its id. */
  async open(options: PostOptions = {}): Promise<{ readonly status: number; readonly session: string }> {
    const { status, headers } = await this.post(initialize("2025-11-25"), options);
    return { status, session: headers.get("mcp-session-id") ?? "" };
  }
}

const memory = new MemorySessionStore();
const full = override<SessionStore>(memory, { add: (record) => record.owner !== "ada" && memory.add(record) });

test.each<readonly [string, HttpOptions, Partial<HttpService>]>([
  ["the server takes none", {}, { takesSessions: (principal) => principal !== "ada" }],
  ["the store has no room", { sessions: { store: full } }, {}],
])("a session is not opened for a principal for which %s", async (_name, options, service) => {
  const rig = new Rig(options, service);
  const rejected = await rig.post(initialize("2025-11-25"));
  expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(await rejected.json()).toMatchObject({ error: { message: "Too many sessions; retry later" } });
  expect(rig.handler.sessions.size).toBe(0);
  expect((await rig.open({ user: "bob" })).status).toBe(200);
});

test.each([
  ["stays, if no other process can serve it", true, 1],
  ["is closed here, if another process can serve it", false, 0],
])("an unused session that is in the store %s", async (_name, areSessionsBound, size) => {
  const ttl = 60_000;
  const clock = new ManualClock();
  const store = new MemorySessionStore({ clock, ttl: 100 * ttl });
  const rig = new Rig({ clock, sessions: { store, ttl } }, { areSessionsBound });
  const { session } = await rig.open();
  // Twice: a session that stays is looked for again after the same time.
  for (let time = 0; time < 2; time += 1) {
    await clock.pass(2 * ttl);
    await expect.poll(() => rig.handler.sessions.size).toBe(size);
  }
  expect((await rig.post(ping, { session })).status).toBe(200);
});

test("a session whose client disconnects while it is stored is removed", async () => {
  const [adding, added] = [createGate(), createGate()];
  const memory = new MemorySessionStore();
  const store = override<SessionStore>(memory, {
    add: async (record) => {
      adding.open();
      await added.opened;
      return memory.add(record);
    },
  });
  const rig = new Rig({ sessions: { store } });
  const client = new AbortController();
  const opened = rig.open({ signal: client.signal });
  await adding.opened;
  client.abort();
  added.open();
  await opened;
  expect([memory.size, rig.handler.sessions.size]).toEqual([0, 0]);
});

describe("a session without use that makes room for another", () => {
  /** A store with room for one session of a principal, whose next removal fails when the test says so. */
  function serve() {
    const [removing, removed] = [createGate(), createGate()];
    const clock = new ManualClock();
    const memory = new MemorySessionStore({ maxSessionsPerOwner: 1, clock });
    let isFailing = true;
    const store = override<SessionStore>(memory, {
      remove: async (key) => {
        if (!isFailing) return memory.remove(key);
        isFailing = false;
        removing.open();
        await removed.opened;
        throw new Error("the store is gone");
      },
    });
    return { rig: new Rig({ clock, sessions: { store } }), clock, removing, removed };
  }

  test.each([
    ["stays if it was used while its removal failed", true, [503, 200]],
    ["is replaced next time, if its removal failed", false, [200, 404]],
  ])("a session %s", async (_name, isUsed, [next, first]) => {
    const { rig, clock, removing, removed } = serve();
    const { session } = await rig.open();
    const failed = rig.open();
    await removing.opened;
    clock.advance(1);
    if (isUsed) expect((await rig.post(ping, { session })).status).toBe(200);
    removed.open();
    expect((await failed).status).toBe(503);
    expect((await rig.open()).status).toBe(next);
    expect((await rig.post(ping, { session })).status).toBe(first);
  });
});
