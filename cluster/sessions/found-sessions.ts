import type { Revision } from "../../generated/support.ts";
import type { Incoming, RequestId } from "../../runtime/jsonrpc/message.ts";
import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";
import type { Exchange } from "../../runtime/transport/http-server/exchange/exchange.ts";
import type { PostBody } from "../../runtime/transport/http-server/post-body.ts";
import type { RejectedRequest } from "../../runtime/transport/http-server/rejection.ts";
import { ServedSession } from "../../runtime/transport/http-server/session/served-session.ts";
import type { HttpSession } from "../../runtime/transport/http-server/session/session.ts";
import type {
  FoundSession,
  IdentifiedPost,
  LiveSessions,
} from "../../runtime/transport/http-server/session/session-directory.ts";
import type { ClusterNode } from "../cluster-node.ts";
import type { RemoteSession } from "../relay/relay-requests.ts";

/** Access of a request to a session of a cluster. */
export interface NodeAccess {
  readonly node: ClusterNode;
  readonly sessions: LiveSessions;
  /** Ids of the request with earlier reservations, here or on another node. */
  readonly used: readonly RequestId[];
  /** Ends the reservations of the request, in the background. */
  release(): void;
}

/** Session of this node. Messages for requests of other nodes are forwarded. */
export class NodeSession extends ServedSession {
  readonly #access: NodeAccess;

  constructor(session: HttpSession, access: NodeAccess) {
    super(session, access.sessions, access.used);
    this.#access = access;
  }

  override async deliver(
    exchange: Exchange,
    { identity, postBody }: IdentifiedPost,
  ): Promise<RejectedRequest | undefined> {
    const own = await this.#forward(postBody);
    if (own) return super.deliver(exchange, { identity, postBody: own });
    return void exchange.respond({ status: 202 });
  }

  release(): void {
    this.#access.release();
  }

  /** Forwards messages. Returns the messages for this node; `undefined` without any. */
  async #forward(postBody: PostBody): Promise<PostBody | undefined> {
    const { node } = this.#access;
    if (postBody.kind === "single") return (await node.forward(this.session, postBody.incoming)) ? undefined : postBody;
    const members: Incoming[] = [];
    for (const incoming of postBody.members) if (!(await node.forward(this.session, incoming))) members.push(incoming);
    return members.length === 0 ? undefined : { ...postBody, members };
  }
}

/** Session of another node, the only one to serve it: requests are relayed there. */
export class RelayedSession implements FoundSession {
  readonly #session: RemoteSession;
  readonly #access: NodeAccess;

  constructor(session: RemoteSession, access: NodeAccess) {
    this.#session = session;
    this.#access = access;
  }

  get key(): SessionKey {
    return this.#session.key;
  }

  get revision(): Revision {
    return this.#session.revision;
  }

  deliver(exchange: Exchange, post: IdentifiedPost): Promise<RejectedRequest | undefined> {
    const { node, used } = this.#access;
    return node.relays.post(exchange, { ...post, session: this.#session, used });
  }

  listen(exchange: Exchange, position: StreamPosition | undefined): Promise<RejectedRequest | undefined> {
    return this.#access.node.relays.listen(exchange, { session: this.#session, position });
  }

  async end(): Promise<void> {
    const { node, sessions } = this.#access;
    await node.end(this.key);
    sessions.searches.end(this.key.id);
  }

  release(): void {
    this.#access.release();
  }
}
