import { expect, onTestFinished, test } from "vitest";
import { NatsLink } from "../../../cluster/nats/nats-link.ts";
import { listenLocally, type LocalServer } from "../processes/proxy.ts";

/*
 * Connections to NATS that end, or whose server vanishes. The server speaks as much of the protocol as a connection needs.
 */

const info = { server_id: "a", version: "2.10.0", proto: 1, headers: true, max_payload: 1_048_576 };

/** Responses of a server, which may change at any time. */
interface Behaviour {
  /** Milliseconds until a connection is greeted. */
  readonly delay?: number;
  /** Number of connections whose credentials are rejected. */
  rejected: number;
  isSilent: boolean;
  /** True if no subscription is permitted. */
  readonly isDenied?: boolean;
}

async function startServer(behaviour: Behaviour): Promise<LocalServer> {
  const server = await listenLocally((socket) => {
    setTimeout(() => socket.write(`INFO ${JSON.stringify(info)}\r\n`), behaviour.delay ?? 0);
    socket.on("data", (chunk) => {
      const text = chunk.toString();
      const [, subject] = /^SUB (\S+)/m.exec(text) ?? [];
      if (behaviour.isDenied && subject !== undefined)
        socket.write(`-ERR 'Permissions Violation for Subscription to "${subject}"'\r\n`);
      if (text.includes("CONNECT") && behaviour.rejected > 0) {
        behaviour.rejected -= 1;
        socket.end("-ERR 'Authorization Violation'\r\n");
      } else if (text.includes("PING") && !behaviour.isSilent) socket.write("PONG\r\n");
    });
  });
  onTestFinished(() => server.close());
  return server;
}

/** Creates a link that adds its losses and reconnections to a list. */
function createLink({ port }: LocalServer, changes: string[]): NatsLink {
  return new NatsLink({
    connection: { servers: [`127.0.0.1:${port}`] },
    timeout: 1_000,
    replicas: 1,
    events: { reconnected: () => changes.push("reconnected"), lost: () => changes.push("lost") },
  });
}

/** Opens a link; returns the list to which it adds its losses and reconnections. */
async function openLink(server: LocalServer): Promise<readonly string[]> {
  const changes: string[] = [];
  const link = createLink(server, changes);
  await link.open();
  onTestFinished(() => link.close());
  return changes;
}

test("a link connects again after its credentials were rejected several times", async () => {
  const behaviour = { rejected: 0, isSilent: false };
  const server = await startServer(behaviour);
  const changes = await openLink(server);
  for (const [index, count] of [3, 1].entries()) {
    behaviour.rejected = count;
    for (const socket of server.sockets) socket.destroy();
    await expect.poll(() => changes.filter((change) => change === "reconnected")).toHaveLength(index + 1);
    expect(behaviour.rejected).toBe(0);
  }
});

test("a link connects again within seconds when its server no longer responds", async () => {
  const behaviour = { rejected: 0, isSilent: false };
  const changes = await openLink(await startServer(behaviour));
  behaviour.isSilent = true;
  await expect.poll(() => changes).toContain("lost");
  behaviour.isSilent = false;
  await expect.poll(() => changes).toEqual(["lost", "reconnected"]);
});

test("a link that is closed while it is opened stays closed", async () => {
  const server = await startServer({ rejected: 0, isSilent: false, delay: 200 });
  const link = createLink(server, []);
  const opened = expect(link.open()).rejects.toThrow("ended while it was opened");
  await link.close();
  await opened;
  expect(link.isConnected).toBe(false);
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("a subscription that the server denies is an error", async () => {
  const link = createLink(await startServer({ rejected: 0, isSilent: false, isDenied: true }), []);
  await link.open();
  onTestFinished(() => link.close());
  await expect(link.subscribe("shop-v1.wake", () => {})).rejects.toThrow("Permissions Violation");
});
