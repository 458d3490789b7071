import type { Revision } from "../../generated/support.ts";
import type { Channel } from "../jsonrpc/channel.ts";
import type { PeerOptions } from "../protocol/peer/peer-options.ts";
import type { Profile } from "../protocol/profile.ts";
import type { Handlers } from "../protocol/peer/routes.ts";
import type { Capabilities, ImplementationInfo } from "../protocol/session/session.ts";
import type { EraEntry } from "./era-cache.ts";
import type { PerRevision } from "./serve-options.ts";

/** Options of a client: identity, capabilities, revisions and handlers. */
export interface OpenOptions extends PeerOptions {
  readonly info: PerRevision<ImplementationInfo>;
  readonly capabilities?: PerRevision<Capabilities>;
  /** Revisions supported by the client; the first is proposed. */
  readonly revisions: readonly Revision[];
  /** Revision of the client's code. Default: the first of `revisions`. */
  readonly written?: Revision;
  /** Handlers by name: `createMessage`, `elicit`, `listRoots`, ... Those of notifications too: `toolListChanged`. */
  readonly handlers?: PerRevision<Handlers>;
  /** Least severe level to be logged, where each request names it. Default: nothing is logged. */
  readonly logLevel?: () => string | undefined;
  /** Conventions of a community, in addition to the protocol, such as `communityProfile`. Default: none. */
  readonly profile?: Profile;
  /**
   * Limits the client to revisions of this kind: `handshake` requests nothing newer, `per-request` opens no session. Default: what the server
   * supports.
   */
  readonly lifecycle?: Revision["lifecycle"];
  /** Cached kind of this server. Default: none. */
  readonly era?: EraEntry;
  /** Aborts the handshake and closes the connection. */
  readonly signal?: AbortSignal;
  /** Returns the channel to use in place of a given one, to observe the messages of the connection. Default: the given one. */
  readonly observe?: (channel: Channel) => Channel;
}
