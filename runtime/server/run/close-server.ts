import { pause } from "../../internal/timers.ts";
import { deliverReport } from "../../jsonrpc/error-report.ts";
import { toError } from "../../jsonrpc/errors.ts";
import type { PeerOptions } from "../../protocol/peer/peer-options.ts";
import type { CoreServer } from "../server.ts";

type TelemetryOptions = Pick<PeerOptions, "telemetry" | "onError">;

/** Closes a server before its program ends. */
export async function closeServer(server: CoreServer, options: TelemetryOptions): Promise<void> {
  await server.close();
  await closeTelemetry(server, options);
}

/** Milliseconds for the last export. Hosts kill a server on stdio soon after they have closed its stdin. */
const closeTimeout = 1_500;

/** Exports the telemetry recorded so far, before a program ends. A failed or slow export is reported, and does not delay the end further. */
export async function closeTelemetry(
  server: Pick<CoreServer, "onError">,
  { telemetry, onError = server.onError }: TelemetryOptions,
): Promise<void> {
  if (!telemetry?.close) return;
  const done = new AbortController();
  const late = pause(closeTimeout, undefined, done.signal).then(() => {
    throw new Error(
      `The last export of telemetry took more than ${closeTimeout} ms; check the address of its receiver`,
    );
  });
  try {
    await Promise.race([telemetry.close(), late]);
  } catch (thrown) {
    deliverReport({ kind: "callback", error: toError(thrown) }, { onError });
  } finally {
    late.catch(() => {});
    done.abort();
  }
}

/** Closes the channel to the primary process of `node:cluster`, which would keep this process running. Has no effect in other processes. */
export async function disconnectWorker(): Promise<void> {
  if (!process.connected) return;
  const { default: cluster } = await import("node:cluster");
  cluster.worker?.disconnect();
}
