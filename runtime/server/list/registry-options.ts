import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import type { CacheHints } from "./cache-hints.ts";
import type { Cursors } from "./cursors.ts";
import type { Envelope } from "../envelope.ts";
import type { AnyTool } from "../any-definition.ts";
import type { AnyRequester } from "../protocol-types.ts";
import type { ShownMembers } from "./shown-members.ts";

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

/** Checks an input schema. Throws when it contains something that no client of a revision could follow. */
export type CheckInput = (schema: unknown, revision: Revision) => void;

/** Rules for the checks and descriptions of tools, in addition to those of every program. */
export interface ToolRules {
  readonly checkInput?: CheckInput | undefined;
  /** Members of tools that lists show. Default: those of the revision. */
  readonly shown?: ShownMembers | undefined;
  /** Revision that tools are written for. What they show is converted for every other. */
  readonly written?: Revision | undefined;
  /** Returns the members of a feature that lists show of a tool. */
  readonly describeMore?: ((tool: AnyTool, revision: Revision) => object) | undefined;
  /** Returns the text for the client when a tool fails with an error that is not a `ToolError`. */
  readonly describeError?: ((error: unknown) => string) | undefined;
}
