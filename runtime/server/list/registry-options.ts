import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import type { CacheHints } from "./cache-hints.ts";
import type { Cursors } from "./cursors.ts";
import type { Envelope } from "../envelope.ts";
import type { AnyRequester } from "../any-definition.ts";
import type { ShownMembers } from "./shown-members.ts";
import type { ToolRules } from "../tools/registry.ts";

/** Options of a registry at one revision, in addition to its definitions. */
export interface RegistryOptions {
  readonly revision: Revision;
  readonly envelope: Envelope;
  /** Cache hints for the lists. */
  readonly cacheHints: CacheHints;
  readonly pageSize: number | undefined;
  readonly cursors: Cursors;
  readonly onError: OnError;
  readonly toolRules: ToolRules;
  /** Members of definitions that lists show. */
  readonly shown: ShownMembers;
  /** Returns the sender of a request, for decisions about visibility. */
  toRequester(call: CallContext): AnyRequester;
}
