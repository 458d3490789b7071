import type { NotificationRow, Revision } from "../../generated/support.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { createEnvelope, type Envelope } from "../protocol/revision/envelope.ts";
import type { ClusterAccess } from "../stores/shared-parts.ts";
import type { AnyTool } from "./any-definition.ts";
import type { ContextParts, CreateScope, HandlerScope, InputSupport } from "./context.ts";
import type { InputRunner } from "./input/input-runner.ts";
import type { CacheHints } from "./list/cache-hints.ts";
import type { Catalogue } from "./list/catalogue.ts";
import type { ServerLists } from "./list/changing-lists.ts";
import type { Cursors } from "./list/cursors.ts";
import type { ShownMembers } from "./list/shown-members.ts";
import { createLogLevels, type LogLevels, type LogOptions } from "./logging/log-levels.ts";
import type { SessionRegistry } from "./subscriptions/session-registry.ts";

/** Parts of a server common to all revisions. */
export interface ServerParts extends ToolRules {
  readonly tools: Catalogue<AnyTool>;
  readonly lists: ServerLists;
  readonly sessions: SessionRegistry;
  readonly settings: ServerSettings;
  readonly cluster: ClusterAccess;
  /** Returns the text for the client when a tool fails with an error other than a `ToolError`. */
  readonly describeError: ((error: unknown) => string) | undefined;
}

/** Rules for the descriptions of tools. */
export interface ToolRules {
  /** Revisions of the server, newest first. Definitions are written for the newest, and converted for every other. */
  readonly revisions: readonly Revision[];
  /** Members of definitions sent to clients: the ones known to the newest revision. Older revisions get less. */
  readonly shown: ShownMembers;
  /** Returns a feature's members of a tool for lists. */
  readonly describeMore: ((tool: AnyTool, revision: Revision) => object) | undefined;
}

/** Options of a server, with every default filled in. */
export interface ServerSettings {
  readonly subscribe: boolean;
  /** Maximum number of subscriptions of one session, or of one request listening for changes. */
  readonly maxSubscriptions: number;
  readonly pageSize: number | undefined;
  readonly cacheHints: CacheHints;
  readonly cursors: Cursors;
  readonly logs: LogOptions;
  readonly onError: OnError;
}

/** A server at one revision: what its features and registries are made of. */
export class RevisionServer implements ContextParts {
  readonly parts: ServerParts;
  readonly revision: Revision;
  readonly envelope: Envelope;
  readonly levels: LogLevels;
  readonly message: NotificationRow | undefined;
  readonly inputRunner: InputRunner;
  readonly createScope: CreateScope;

  constructor(parts: ServerParts, revision: Revision, { inputRunner, createScope }: InputSupport) {
    this.parts = parts;
    this.revision = revision;
    this.envelope = createEnvelope(revision);
    this.levels = createLogLevels(revision, parts.settings.logs);
    this.message = findRow(revision.serverNotifications, "loggingMessage");
    this.inputRunner = inputRunner;
    this.createScope = createScope;
  }

  /** Creates the context of a handler, which describes the sender of the request as well. */
  scope(call: CallContext): HandlerScope {
    return this.createScope(call, this);
  }
}
