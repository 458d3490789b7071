import type { Revision } from "../../generated/support.ts";
import { listKinds, type ListKind } from "../../runtime/protocol/methods/list-kinds.ts";
import type { AnyCoreDefinition, AnyServerDefinition } from "../../runtime/server/any-definition.ts";
import { buildServer } from "../../runtime/server/build-server.ts";
import type { BuildOptions, CoreServer } from "../../runtime/server/server.ts";
import type { ToolLists } from "../../runtime/server/tools/registry.ts";
import { writeToStandardError } from "../../runtime/server/logging/stderr.ts";
import { subscriptions } from "../../runtime/server/subscriptions/feature.ts";
import type { ClusterAccess } from "../../runtime/stores/shared-parts.ts";
import { readOffered } from "./definition-changes.ts";
import { describeError } from "./report.ts";
import { SwappedSessions, type SessionsView } from "./swapped-sessions.ts";
import { VersionExtensions } from "./version-extensions.ts";
import { isCapabilityError, isRpcError, toError } from "../../runtime/jsonrpc/errors.ts";
import type { OnError } from "../../runtime/jsonrpc/error-report.ts";
import type { Middleware } from "../../runtime/server/middleware/middleware.ts";

/** Server built from one version of its definition. */
export interface BuiltServer {
  readonly server: CoreServer;
  readonly slot: DefinitionSlot;
  readonly view: SessionsView;
  readonly extensions: VersionExtensions;
  /** Options of tasks as text: running tasks keep them. */
  readonly tasks: string;
}

/** A version of a server, as the program gets it, and its parts. */
export interface Version<Lists> {
  readonly built: BuiltServer;
  readonly server: CoreServer & ToolLists & Lists;
}

/** State shared by all versions of a server: sessions, subscriptions, tasks, and the keys of what clients return. */
export class DefinitionSlot {
  readonly sessions: SwappedSessions = new SwappedSessions();
  readonly cluster: ClusterAccess = { shared: undefined };
  readonly #keys: readonly Uint8Array[] = [crypto.getRandomValues(new Uint8Array(32))];
  readonly #offered = new Set<ListKind>();

  /**
   * Builds a server from a version of its definition. Its lists are declared as changeable, because a later version may change them. A list is
   * offered for as long as the process lives, once it was offered.
   *
   * @throws {SetupError} when the definition cannot be served
   */
  build<Lists extends object, Definition extends AnyCoreDefinition>(
    definition: Definition,
    revisions: readonly Revision[],
    options: BuildOptions<Lists, Definition>,
  ): Version<Lists> {
    if (definition.listChanged === true) return this.#build(definition, revisions, options);
    for (const kind of findLists(definition)) this.#offered.add(kind);
    const version = this.#build(definition, revisions, options);
    const added = readOffered(version.server).filter((kind) => !this.#offered.has(kind));
    if (added.length === 0) return version;
    // A feature or an extension has added to a list that the definition does not have.
    version.built.extensions.release();
    for (const kind of added) this.#offered.add(kind);
    return this.#build(definition, revisions, options);
  }

  #build<Lists extends object, Definition extends AnyCoreDefinition>(
    definition: Definition,
    revisions: readonly Revision[],
    options: BuildOptions<Lists, Definition>,
  ): Version<Lists> {
    const view = this.sessions.createView();
    const { features } = options;
    const onError = definition.onError ?? writeToStandardError;
    const extensions = new VersionExtensions(definition.extensions ?? [], (thrown) =>
      onError({ kind: "transport", error: toError(thrown) }),
    );
    const server = buildServer(
      {
        ...definition,
        listChanged: definition.listChanged === true || [...this.#offered],
        extensions: extensions.extensions,
        middleware: [
          extensions.countCalls,
          ...(definition.middleware ?? []),
          this.sessions.recordSubscriptions,
          describeToolFailures(onError),
        ],
        cursorKeys: definition.cursorKeys ?? this.#keys,
      },
      revisions,
      {
        ...options,
        features: features.includes(subscriptions) ? features : [...features, subscriptions],
        sessions: view.registry,
        cluster: this.cluster,
        describeError,
      },
    );
    const tasks = JSON.stringify(definition.tasks ?? null);
    return { server, built: { server, slot: this, view, extensions, tasks } };
  }
}

/** Returns the kinds of lists that a definition itself has. */
function findLists(definition: AnyCoreDefinition & Partial<AnyServerDefinition>): readonly ListKind[] {
  const { listChanged = [] } = definition;
  return listKinds.filter(
    (kind) => listChanged === true || listChanged.includes(kind) || (definition[kind] ?? []).length > 0,
  );
}

/**
 * Creates middleware to turn failed calls of tools into results for the client, for example when the output does not fit its schema. Errors of the
 * protocol pass.
 */
function describeToolFailures(onError: OnError): Middleware {
  return async ({ method, context: { requestId: id, signal } }, next) => {
    try {
      return await next();
    } catch (thrown) {
      if (method !== "tools/call" || signal.aborted || isRpcError(thrown) || isCapabilityError(thrown)) throw thrown;
      onError({ kind: "handler", method, id, error: toError(thrown) });
      return { content: [{ type: "text", text: describeError(thrown) }], isError: true };
    }
  };
}
