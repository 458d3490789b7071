import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import type { CacheHints } from "./cache-hints.ts";
import type { Cursors } from "./cursors.ts";
import type { Envelope } from "../envelope.ts";
import type { AnyRequester } from "../any-definition.ts";
import type { ToolRules } from "../tools/registry.ts";

/** What a registry needs besides its definitions. */
export interface RegistryOptions {
  readonly revision: Revision;
  readonly envelope: Envelope;
  // @part caching
  /** How long clients may keep the lists. */
  readonly caching: CacheHints;
  readonly pageSize: number | undefined;
  readonly cursors: Cursors;
  readonly onError: OnError;
  readonly toolRules: ToolRules;
  /** Who sent a request, for decisions about what is visible. */
  toRequester(call: CallContext): AnyRequester;
}
