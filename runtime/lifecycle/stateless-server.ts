import { isObject, type Revision } from "../../generated/support.ts";
import { chain } from "../internal/maybe-async.ts";
import { toCacheMembers } from "../protocol/methods/cache-hint.ts";
import type {
  FindStatelessRoutes,
  StatelessRoutes,
  RequestHandler,
  RequestRoute,
  Routes,
} from "../protocol/peer/routes.ts";
import { createStatelessCall } from "../protocol/peer/stateless-request.ts";
import { createRoutes } from "../protocol/peer/routes.ts";
import { extensionOf } from "../protocol/revision/defined-extension.ts";
import type { RevisionConverter } from "../protocol/revision/revision-converter.ts";
import { InvalidMessageError, RpcError, methodNotFound } from "../jsonrpc/errors.ts";
import {
  createMetadataReader,
  readMetaKeys,
  unsupportedVersion,
  withoutMetadata,
  type MetadataReader,
} from "../protocol/session/request-metadata.ts";
import { createMessageSteps, type MessageSteps } from "../protocol/peer/message-middleware.ts";
import { merge } from "../internal/merge.ts";
import { StaticResult } from "../jsonrpc/message.ts";
import { Peer } from "../protocol/peer/peer.ts";
import { toStatelessSettings } from "../protocol/peer/stateless-connection.ts";
import type { PeerSettings } from "../protocol/peer/peer-options.ts";
import type { ImplementationInfo, NegotiatedSession, PeerInfo } from "../protocol/session/session.ts";
import { observed } from "../protocol/session/telemetry.ts";
import { withLifecycleMiddleware } from "./lifecycle-middleware.ts";
import type { Acceptor, ServeOptions } from "./serve-options.ts";
import type { CreateConverter } from "./served-converter.ts";
import { withProfile } from "./apply-profile.ts";
import { resolve } from "./initialize-routes.ts";

/**
 * Lifecycle without a session: every request names its revision and the capabilities of its client, and is handled as if it were the first.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#statelessness
 */
export interface PerRequest {
  readonly reader: MetadataReader;
  /** Handles stateless requests on connections on which sessions may be opened as well. */
  readonly enter: FindStatelessRoutes;
  /** Notifications possible before, or without, a session: the cancellation of stateless requests, and those of extensions. */
  readonly notifications: Routes["notifications"];
  /** Serves connections on which no session can be opened. */
  readonly accept: Acceptor;
}

/**
 * Prepares the revisions with stateless requests; returns `undefined` if there are none. A server of one revision needs no converter.
 *
 * @throws {InvalidMessageError} when the result of `server/discover` does not fit its revision
 */
export function createPerRequest(given: ServeOptions, createConverter?: CreateConverter): PerRequest | undefined {
  const steps = createMessageSteps(given.middleware, "server");
  const options = { ...withProfile(given), createConverter, steps };
  const reader = createMetadataReader(options.revisions);
  if (!reader) return undefined;
  const offers = new Map(
    reader.revisions.map((revision): [Revision, Offer] => [revision, createOffer(revision, reader, options)]),
  );
  const enterAs = ({ revision, client }: NegotiatedSession): StatelessRoutes | RpcError => {
    const offer = offers.get(revision);
    if (!offer) return unsupportedVersion(reader.revisions, revision.id);
    const { routes, own, instructions } = offer;
    return {
      routes,
      createCall: createStatelessCall,
      session: {
        revision,
        role: "server",
        own,
        peer: client,
        instructions,
        isStateless: true,
        converter: offer.converter,
      },
    };
  };
  const enter: FindStatelessRoutes = ({ params }) => {
    const metadata = reader.read(params);
    if (metadata.kind === "none") return undefined;
    return metadata.kind === "refused" ? metadata.error : enterAs(metadata);
  };
  const notifications = toOpenNotifications([...offers.values()].map(({ routes }) => routes));
  const stateless = { ...createStatelessRoutes(reader, enter), notifications };
  const settings: PeerSettings = {
    ...options,
    reportsStrays: true,
  };
  const shared = toStatelessSettings(options);
  return {
    reader,
    enter,
    notifications,
    accept(given, agreement, connect) {
      const channel = observed(given, options, { role: "server", revision: agreement?.revision, isStateless: true });
      const entry = agreement && enterAs(agreement);
      if (connect && entry && !(entry instanceof RpcError)) return connect(channel, entry, shared);
      const peer = new Peer(channel, entry ? { ...stateless, enter: () => entry } : stateless, settings);
      peer.start();
      return peer;
    },
  };
}

/**
 * Prepares a server of one revision, on which no session can be opened.
 *
 * @throws {Error} when there are further revisions, or when the revision has sessions
 */
export function createStatelessAcceptor(options: ServeOptions): Acceptor {
  if (options.revisions.length > 1) throw new Error("The server has several revisions; use createDualAcceptor");
  const perRequest = createPerRequest(options);
  if (!perRequest) throw new Error("No revision has stateless requests; use createSessionAcceptor");
  return perRequest.accept;
}

interface Offer {
  readonly routes: Routes;
  readonly own: PeerInfo;
  readonly instructions: string | undefined;
  readonly converter: RevisionConverter | undefined;
}

interface OfferOptions extends ServeOptions {
  readonly createConverter: CreateConverter | undefined;
  readonly steps: MessageSteps;
}

function createOffer(revision: Revision, reader: MetadataReader, options: OfferOptions): Offer {
  const converter = options.createConverter?.(revision, options);
  const info = resolve(options.info, revision);
  const capabilities = resolve(options.capabilities, revision) ?? {};
  const instructions = resolve(options.instructions, revision);
  const own: PeerInfo = { info, capabilities };
  const discovered = new StaticResult({
    supportedVersions: reader.revisions.map(({ id }) => id),
    capabilities,
    instructions,
    ...toCacheMembers(options.discovery),
  });
  const discover = withLifecycleMiddleware(() => discovered, "server/discover", options.around);
  const builtins = new Map([["server/discover", discover]]);
  const handlers = resolve(options.handlers, revision);
  const routes = createRoutes(revision, {
    role: "server",
    handlers,
    builtins,
    converter,
    receive: options.steps.receiveRequest,
  });
  checkDiscovered(revision, discovered);
  return {
    routes: completeRoutes(routes, revision, createIdentity(revision, info, converter)),
    own,
    instructions,
    converter,
  };
}

function checkDiscovered(revision: Revision, discovered: StaticResult): void {
  const issue = revision.clientRequests["server/discover"]?.result(discovered.value);
  if (issue) throw new InvalidMessageError("server/discover", "result", issue);
}

/**
 * Creates the routes of connections without sessions. They accept only requests with metadata. An `initialize` is rejected with the served revisions.
 */
function createStatelessRoutes(reader: MetadataReader, enter: FindStatelessRoutes): Omit<Routes, "notifications"> {
  const { revisions } = reader;
  return {
    requests: new Map(),
    batching: false,
    neverBatched: new Set(),
    reject: methodNotFound,
    enter(request) {
      return enter(request) ?? withoutMetadata(request, revisions);
    },
  };
}

/** Only notifications of extensions have handlers: nothing says to which session another one would refer. The newest revision has precedence. */
function toOpenNotifications(served: readonly Routes[]): Routes["notifications"] {
  const entries = served.flatMap(({ notifications }) => [...notifications]).reverse();
  return new Map(
    entries.map(([method, { row, handle }]) => [
      method,
      { row, handle: extensionOf(row) === undefined ? undefined : handle },
    ]),
  );
}

/** Adds to every result its type and, in its metadata, the identity of the server. */
function completeRoutes(routes: Routes, revision: Revision, identity: object): Routes {
  const complete = createCompletion(revision, identity);
  const requests = new Map<string, RequestRoute>();
  for (const [method, { row, handle }] of routes.requests) {
    requests.set(method, { row, handle: handle && completeHandler(handle, complete) });
  }
  return { ...routes, requests };
}

function completeHandler(handle: RequestHandler, complete: (result: unknown) => unknown): RequestHandler {
  const completed = new WeakMap<StaticResult, StaticResult>();
  const completeResult = (result: unknown): unknown => {
    if (!(result instanceof StaticResult)) return complete(result);
    const known = completed.get(result) ?? new StaticResult(complete(result.value));
    completed.set(result, known);
    return known;
  };
  return (params, context) => chain(handle(params, context), completeResult);
}

/** Returns the metadata of all results: the identity of the server, with the members of the revision. */
function createIdentity(
  revision: Revision,
  info: ImplementationInfo,
  converter: RevisionConverter | undefined,
): object {
  const { serverInfo } = readMetaKeys(revision);
  if (serverInfo === undefined) return {};
  const result = { _meta: { [serverInfo]: info } };
  const converted = converter ? converter.result("server/discover", result) : result;
  return isObject(converted) && isObject(converted._meta) ? converted._meta : {};
}

function createCompletion(revision: Revision, identity: object): (result: unknown) => unknown {
  const resultType = revision.resultTypes?.absentMeans;
  return (result) => {
    if (!isObject(result)) return result;
    // The new members come first: adding one after a spread makes engines leave their fast path, and a second spread takes several times as long.
    const typed = { _meta: identity, resultType, ...result };
    if (!Object.hasOwn(result, "_meta")) return typed;
    return merge(typed, { _meta: isObject(result._meta) ? merge(identity, result._meta) : identity });
  };
}
