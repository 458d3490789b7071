import { pause, type Clock } from "../runtime/internal/timers.ts";
import type { HttpSession } from "../runtime/transport/http-server/session/session.ts";
import { spreadEnd } from "./streams/spread-retry.ts";

/** Part of a session used by a closing node. */
export type DrainedSession = Pick<HttpSession, "polls" | "hasListeners" | "releaseStreams" | "whenIdle">;

/** Times of a closing node. */
export interface DrainOptions {
  readonly clock: Clock;
  /** Milliseconds in which running requests may finish. */
  readonly drain: number;
  /** Milliseconds clients should wait before they reconnect. */
  readonly retry: number;
}

/** Sends the clients of sessions to other nodes, spread over time, and waits for running requests. */
export async function drainSessions(sessions: Iterable<DrainedSession>, options: DrainOptions): Promise<void> {
  const timeout = new AbortController();
  const late = pause(options.drain, options.clock, timeout.signal).catch(() => {});
  const drained = [...sessions].map((session) => drainSession(session, options));
  await Promise.race([late, Promise.all(drained)]);
  timeout.abort();
}

async function drainSession(session: DrainedSession, { clock, drain, retry }: DrainOptions): Promise<void> {
  const idle = session.whenIdle();
  // Other clients know from the beginning of their streams when to reconnect.
  if (!session.polls && session.hasListeners) await pause(spreadEnd(retry, drain), clock);
  session.releaseStreams();
  await idle;
}
