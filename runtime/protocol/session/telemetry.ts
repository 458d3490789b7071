import type { Revision, Role } from "../../../generated/support.ts";
import type { Channel } from "../../jsonrpc/channel.ts";

/** Records the messages of connections, and adds trace context to outgoing ones. */
export interface Telemetry {
  /** Returns the channel to use in place of a given one. */
  observe(channel: Channel, facts: ObservedConnection): Channel;
  /** Exports what has been recorded. Called when a program of `runStdio`, `runHttp` or `runServer` ends. */
  close?(): Promise<unknown>;
}

/** Facts about an observed connection. */
export interface ObservedConnection {
  /** Role of this end. */
  readonly role: Role;
  /** Revisions supported by this end. */
  readonly revisions: readonly Revision[];
  /** Revision the two sides agreed on before the connection was opened, if any. */
  readonly revision?: Revision | undefined;
  /** True if the connection carries stateless requests, or messages of one POST: its end is not the end of a session. */
  readonly isStateless?: boolean;
}

/** Returns the channel for an end: the given one, unless its messages are recorded. */
export function observed(
  channel: Channel,
  { telemetry, revisions }: { readonly telemetry?: Telemetry | undefined; readonly revisions: readonly Revision[] },
  facts: Omit<ObservedConnection, "revisions">,
): Channel {
  return telemetry ? telemetry.observe(channel, { ...facts, revisions }) : channel;
}
