import { afterEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import { changed, log, start, type Rig, type Session, type Tool } from "../../../kit/http-server.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import { call, type Stream } from "../../../kit/http-exchange.ts";

const rigs: Rig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

async function serve(options: Parameters<typeof start>[1] = {}, tools: Record<string, Tool> = {}): Promise<Rig> {
  const rig = await start(tools, { retry: 20, ...options });
  rigs.push(rig);
  return rig;
}

/** Opens a stream and returns the id of its first event. */
async function listen(session: Session): Promise<{ readonly stream: Stream; readonly id: string }> {
  const stream = await session.listen();
  return { stream, id: (await stream.next()).id ?? "" };
}

async function notifyAll({ connections }: Rig): Promise<void> {
  for (const connection of connections) if (connection.session) await changed(connection);
}

const listChanged = { method: "notifications/tools/list_changed" };

describe("a stream opened by GET", () => {
  it("a stream continues when its client has missed nothing, although the store has forgotten its events (T-44)", async () => {
    const clock = new ManualClock();
    const rig = await serve({ events: new MemoryEventStore({ ttl: 1_000, clock }) });
    const session = await rig.open();
    const { stream, id } = await listen(session);
    clock.advance(2_000);
    stream.cut();
    const resumed = await session.listen(id);
    expect(resumed.status).toBe(200);
    await notifyAll(rig);
    expect(await resumed.message()).toMatchObject(listChanged);
    const old = `${id.slice(0, id.indexOf("-"))}-7`;
    expect((await session.listen(old)).status).toBe(400);
    await notifyAll(rig);
    expect(await resumed.message()).toMatchObject(listChanged);
    resumed.cut();
  });

  it("a stream is rejected when its client has missed events that the store has forgotten (R41)", async () => {
    const clock = new ManualClock();
    const rig = await serve({ events: new MemoryEventStore({ ttl: 1_000, clock }) });
    const session = await rig.open();
    const { stream, id } = await listen(session);
    await notifyAll(rig);
    expect(await stream.message()).toMatchObject(listChanged);
    stream.cut();
    clock.advance(2_000);
    expect((await session.listen(id)).status).toBe(400);
  });

  it("a stream continues in another process with the same stores (T-45)", async () => {
    const stores = { events: new MemoryEventStore(), sessions: { store: new MemorySessionStore() } };
    const first = await serve(stores);
    const session = await first.open();
    const { stream, id } = await listen(session);
    await notifyAll(first);
    expect(await stream.message()).toMatchObject(listChanged);
    await first.close();
    const second = await serve(stores);
    const headers = { ...session.headers, "last-event-id": id };
    const resumed = await second.stream({ method: "GET", headers });
    expect(await resumed.message()).toMatchObject(listChanged);
    await notifyAll(second);
    await notifyAll(second);
    expect(await resumed.message()).toMatchObject(listChanged);
    expect(await resumed.message()).toMatchObject(listChanged);
    const ids = resumed.events.map((event) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
    resumed.cut();
    // The second process has stored its events behind those of the first.
    const last = await second.stream({ method: "GET", headers: { ...headers, "last-event-id": ids[0] ?? "" } });
    expect(await last.message()).toMatchObject(listChanged);
    expect(await last.message()).toMatchObject(listChanged);
    expect(last.events.map((event) => event.id)).toEqual(ids.slice(1));
    last.cut();
  });

  it("a stream continues after newer ones had replaced it", async () => {
    const rig = await serve();
    const session = await rig.open();
    const { stream, id } = await listen(session);
    const others = [await listen(session), await listen(session)];
    await stream.end();
    for (const other of others) other.stream.cut();
    const resumed = await session.listen(id);
    expect(resumed.status).toBe(200);
    await notifyAll(rig);
    expect(await resumed.message()).toMatchObject(listChanged);
    resumed.cut();
  });

  it("a stream keeps its messages after the client has resumed the response to a call", async () => {
    const talk = async (context: CallContext): Promise<string> => (await log(context, "one"), "done");
    const rig = await serve({}, { talk });
    const session = await rig.open();
    const { stream, id } = await listen(session);
    const response = await session.postStream(call(1, "talk"));
    await response.end();
    stream.cut();
    await (await session.listen(response.events[0]?.id)).end();
    await notifyAll(rig);
    const resumed = await session.listen(id);
    expect(await resumed.message()).toMatchObject(listChanged);
    resumed.cut();
  });

  it("a stream keeps its messages when its client resumes another that no process knows", async () => {
    const rig = await serve();
    const session = await rig.open();
    const { stream, id } = await listen(session);
    stream.cut();
    expect((await session.listen("gabcdef1-0")).status).toBe(400);
    await notifyAll(rig);
    const resumed = await session.listen(id);
    expect(await resumed.message()).toMatchObject(listChanged);
    resumed.cut();
  });

  it("a stream is rejected when no process knows it (R41)", async () => {
    const rig = await serve();
    const session = await rig.open();
    expect((await session.listen("gabcdef1-0")).status).toBe(400);
    const { stream } = await listen(session);
    await notifyAll(rig);
    expect(await stream.message()).toMatchObject(listChanged);
    stream.cut();
  });
});
