import type { Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import type { OnError } from "../rpc/report.ts";
import type { Cursors } from "./cursors.ts";
import type { Envelope } from "./envelope.ts";
import type { AnyRequester } from "./source.ts";

/** What a registry needs besides its definitions. */
export interface RegistryOptions {
  readonly revision: Revision;
  readonly envelope: Envelope;
  readonly pageSize: number | undefined;
  readonly cursors: Cursors;
  readonly onError: OnError;
  /** Who sent a request, for decisions about what is visible. */
  toRequester(call: CallContext): AnyRequester;
}
