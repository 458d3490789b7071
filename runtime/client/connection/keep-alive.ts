import { isPeerError, toError } from "../../jsonrpc/errors.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import type { ClientConnection } from "../connect.ts";
import type { KeepAliveOptions } from "../options.ts";
import { findRequestRow } from "../session/requests.ts";

/** Parts of a client used by keep-alive. */
export interface KeepAliveHost {
  readonly clock: Clock | undefined;
  missed(failures: number, error: Error): void;
  /** Called when too many responses are missing: the connection counts as lost. */
  dead(error: Error): void;
}

/**
 * Pings a server for as long as its connection lasts, where the revision has pings.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#implementation-considerations
 */
export function keepAlive(connection: ClientConnection, options: KeepAliveOptions, host: KeepAliveHost): void {
  const row = findRequestRow(connection.revision, "ping");
  if (!row) return;
  const { interval, timeout, failures: most = 2 } = options;
  const clock = host.clock ?? systemClock;
  let failures = 0;
  let cancel = (): void => {};
  const schedule = (): void => void (cancel = clock.after(interval, () => void ping()));
  const ping = async (): Promise<void> => {
    try {
      await connection.request(row, undefined, timeout === undefined ? {} : { timeout });
      failures = 0;
    } catch (thrown) {
      if (connection.state === "DISCONNECTED") return;
      if (!isPeerError(thrown)) return miss(toError(thrown));
      // An error is a response as well: the server is there, although it does not know the method.
      failures = 0;
    }
    schedule();
  };
  const miss = (error: Error): void => {
    failures += 1;
    host.missed(failures, error);
    if (failures >= most) host.dead(error);
    else schedule();
  };
  schedule();
  void connection.closed.then(() => cancel());
}
