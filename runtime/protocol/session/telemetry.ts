import type { Revision, Role } from "../../../generated/support.ts";
import type { Channel } from "../../jsonrpc/channel.ts";

/** Records the messages of connections, and adds trace context to those that are sent. */
export interface Telemetry {
  /** Returns the channel to use in place of a given one. */
  observe(channel: Channel, facts: ObservedConnection): Channel;
  /** Exports what has been recorded. Called when a program of `runStdio`, `runHttp` or `runServer` ends. */
  close?(): Promise<unknown>;
}

/** Facts about a connection that is observed. */
export interface ObservedConnection {
  /** Role of this end. */
  readonly role: Role;
  /** Revisions that this end supports. */
  readonly revisions: readonly Revision[];
  /** Revision that was agreed on before the connection was opened, if one was. */
  readonly revision?: Revision | undefined;
  /** True if the connection carries stateless requests, or messages of one POST: its end is not that of a session. */
  readonly isStateless?: boolean;
}

/** Options of an end whose connections may be observed. */
interface ObservableOptions {
  readonly telemetry?: Telemetry | undefined;
  readonly revisions: readonly Revision[];
}

/** Returns the channel that an end uses: the given one, unless its messages are recorded. */
export function observed(
  channel: Channel,
  { telemetry, revisions }: ObservableOptions,
  facts: Omit<ObservedConnection, "revisions">,
): Channel {
  return telemetry ? telemetry.observe(channel, { ...facts, revisions }) : channel;
}
