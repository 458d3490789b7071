import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";

/** Treatment of the bytes of the other peer: `pass` forwards them unchanged. */
export type Fault =
  | { readonly kind: "pass" }
  /** Goes through in pieces of so many bytes, each in a turn of its own. */
  | { readonly kind: "slice"; readonly bytes: number }
  /** Everything comes so many milliseconds later. */
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** So many bytes at a time, with a pause after each. */
  | { readonly kind: "throttle"; readonly bytes: number; readonly milliseconds: number }
  /** So many bytes go through, and then the connection ends in order. */
  | { readonly kind: "cut"; readonly after: number }
  /** So many bytes go through, and then the connection is reset. */
  | { readonly kind: "reset"; readonly after: number }
  /** So many bytes go through, and then nothing more: both ends believe that they are connected. */
  | { readonly kind: "swallow"; readonly after: number };

/** Stands between two ends and harms what passes. */
export interface FaultProxy {
  readonly port: number;
  /** Holds for what arrives from now on, on connections that are open too; counts of bytes begin anew. */
  harm(fault: Fault): void;
  /** Connections that are open. */
  readonly size: number;
  close(): Promise<void>;
}

/** A proxy in front of a port of this machine. */
export async function createFaultProxy(target: number): Promise<FaultProxy> {
  let fault: Fault = { kind: "pass" };
  let passed = 0;
  const pairs = new Set<readonly [near: Socket, far: Socket]>();
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on("data", (chunk: Buffer) => void far.write(chunk));
    let last = Promise.resolve();
    // One after the other, so that nothing is overtaken.
    far.on("data", (chunk: Buffer) => {
      last = last.then(() => pass(chunk, pair));
    });
    far.on("end", () => void last.then(() => near.end()));
    near.on("end", () => far.end());
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        for (const each of pair) each.destroy();
        pairs.delete(pair);
      });
    }
  });

  async function pass(chunk: Buffer, [near, far]: readonly [Socket, Socket]): Promise<void> {
    const now = fault;
    switch (now.kind) {
      case "pass":
        return void near.write(chunk);
      case "slice":
        return writeSlowly(near, chunk, { bytes: now.bytes, milliseconds: 0 });
      case "throttle":
        return writeSlowly(near, chunk, now);
      case "delay":
        await delay(now.milliseconds);
        return void near.write(chunk);
      case "cut":
      case "reset":
      case "swallow": {
        const rest = Math.max(0, now.after - passed);
        passed += chunk.length;
        if (rest > 0) near.write(chunk.subarray(0, rest));
        if (chunk.length <= rest || now.kind === "swallow") return;
        if (now.kind === "cut") return void near.end(() => far.destroy());
        far.destroy();
        return void near.resetAndDestroy();
      }
      default:
        return now satisfies never;
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    harm(next) {
      fault = next;
      passed = 0;
    },
    get size() {
      return pairs.size;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await closed;
    },
  };
}

async function writeSlowly(
  socket: Socket,
  chunk: Buffer,
  { bytes, milliseconds }: { readonly bytes: number; readonly milliseconds: number },
): Promise<void> {
  for (let at = 0; at < chunk.length && !socket.destroyed; at += bytes) {
    socket.write(chunk.subarray(at, at + bytes));
    await (milliseconds === 0 ? nextTurn() : delay(milliseconds));
  }
}
