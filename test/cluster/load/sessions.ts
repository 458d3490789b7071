import type { Random } from "../../kit/random.ts";
import type { TestClient } from "../client/client.ts";
import { startListener, type Listener } from "../client/listener.ts";
import type { HistoryLog } from "../history.ts";
import { openSession } from "../workloads/workload.ts";

/** Session with its open stream. */
export interface LoadSession {
  readonly client: TestClient;
  readonly listener: Listener;
}

/** Sessions that are opened. */
export interface SessionsOptions {
  readonly count: number;
  readonly log: HistoryLog;
  readonly random: Random;
}

/** Sessions that are opened at the same time. */
const atOnce = 50;

/** Opens sessions of two principals, each with a stream, over all balancers in turn. */
export async function openSessions(
  urls: readonly string[],
  { count, log, random }: SessionsOptions,
): Promise<readonly LoadSession[]> {
  const sessions: LoadSession[] = [];
  while (sessions.length < count) {
    const first = sessions.length;
    const length = Math.min(atOnce, count - first);
    const opened = await Promise.all(
      Array.from({ length }, async (_, index) => {
        const url = urls[(first + index) % urls.length] ?? "";
        const client = await openSession({ url, log, random }, index % 2 === 0 ? "alice" : "bob");
        const listener = startListener(client);
        await listener.connected;
        return { client, listener };
      }),
    );
    sessions.push(...opened);
  }
  return sessions;
}

/** Ends the streams of sessions. */
export async function closeSessions(sessions: readonly LoadSession[]): Promise<void> {
  await Promise.all(sessions.map(({ listener }) => listener.stop()));
}
