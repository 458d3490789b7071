import { readBody } from "../client/http.ts";
import type { TestClient } from "../client/client.ts";
import { parseMessage } from "../client/message.ts";
import { startListener } from "../client/listener.ts";
import { openSession, type Workload } from "./workload.ts";

/** Every way in which one principal can show ids of another. */
export const stranger: Workload = async (context) => {
  const [alice, bob] = await Promise.all([openSession(context), openSession(context, "bob")]);
  const listener = startListener(alice);
  await listener.connected;
  await alice.call("count", { n: 3 });
  const eventIds = context.log.lines.flatMap(({ session, event }) =>
    session === alice.session && event !== undefined ? [event] : [],
  );
  const id = alice.takeId();
  const running = alice.call("slow", { milliseconds: 300 }, { id });
  await attempt(bob, alice, { method: "POST", message: { jsonrpc: "2.0", id: "ping", method: "ping" } });
  await attempt(bob, alice, {
    method: "POST",
    message: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } },
  });
  for (const lastEventId of eventIds.slice(0, 3)) {
    await attempt(bob, alice, { method: "GET", lastEventId });
    await attempt(bob, bob, { method: "GET", lastEventId });
  }
  await attempt(bob, alice, { method: "DELETE" });
  await running;
  await listener.stop();
};

interface Attempt {
  readonly method: "POST" | "GET" | "DELETE";
  readonly message?: object;
  readonly lastEventId?: string;
}

/** Sends a request of one principal with the session of `target`, and reads what comes within 500 ms. */
async function attempt(client: TestClient, target: TestClient, request: Attempt): Promise<void> {
  const id = client.newConnection();
  client.write({ phase: "call", op: "stranger", id, value: JSON.stringify({ ...request, session: target.session }) });
  const response = await client.send({ ...request, session: target.session, signal: AbortSignal.timeout(500) });
  const value = response ? await readBody(response) : "";
  const isRejected = response !== undefined && (!response.ok || parseMessage(value)?.error !== undefined);
  const outcome = response === undefined ? "unknown" : isRejected ? "fail" : "ok";
  client.write({ phase: "return", op: "stranger", id, outcome, value, ...(response && { status: response.status }) });
}
