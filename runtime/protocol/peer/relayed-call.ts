import type { NotificationRow, Progress, RequestRow, Revision } from "../../../generated/support.ts";
import type { CallContext, RequestOptions } from "./incoming-call.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import type { Connection } from "./peer.ts";
import type { Session } from "../session/session.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";

/** Call whose messages take another way: it reads from the original call, and subclasses define how it sends. */
export abstract class RelayedCall implements CallContext {
  protected readonly call: CallContext;

  constructor(call: CallContext) {
    this.call = call;
  }

  get requestId(): RequestId {
    return this.call.requestId;
  }

  get session(): Session {
    return this.call.session;
  }

  get revision(): Revision {
    return this.call.revision;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return this.call.meta;
  }

  get origin(): unknown {
    return this.call.origin;
  }

  get connection(): Connection {
    return this.call.connection;
  }

  get progressRate(): Rate {
    return this.call.progressRate;
  }

  abstract get signal(): AbortSignal;

  abstract progress(report: Progress): Promise<void>;

  abstract notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;

  abstract request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options?: RequestOptions,
  ): Promise<Result>;
}
