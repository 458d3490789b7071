import type { Extension, RequestRow } from "../../generated/support.ts";
import { missingCapability } from "../protocol/stateless-request.ts";
import type { CallContext } from "../protocol/incoming-call.ts";
import { extendRevisions } from "../protocol/extend-revisions.ts";
import { isOpen } from "../protocol/session.ts";
import type { Extending } from "./build-server.ts";
import type { ServerExtensions } from "./definition.ts";
import type { Feature } from "./feature.ts";
import type { AnyServerDefinition } from "./any-definition.ts";

/** A feature that serves an extension. */
export interface ExtensionFeature extends Feature {
  /** Returns the extension if a definition uses it. */
  extension(source: AnyServerDefinition): Extension | undefined;
}

/** Creates the extension support of servers: for extensions that a definition names, and for those that its members need. */
export function createExtending(features: readonly ExtensionFeature[]): Extending {
  return {
    extend(source: AnyServerDefinition & ServerExtensions, revisions) {
      const { extensions = [] } = source;
      const implied = features.flatMap((feature) => feature.extension(source) ?? []);
      const others = implied.filter(({ id }) => !extensions.some((named) => named.id === id));
      return extendRevisions(revisions, [...extensions, ...others], "server");
    },
    guard(handlers, revision) {
      const guarded = Object.values(revision.clientRequests).flatMap((row) => guardHandler(handlers, row));
      return { ...handlers, ...Object.fromEntries(guarded) };
    },
  };
}

type Handler = (params: unknown, call: CallContext) => unknown;

/** Wraps a handler so that it rejects clients that lack the needed capability, before it reads the params. The error names the capability. */
function guardHandler(handlers: object, { handler, needs }: RequestRow): readonly (readonly [string, Handler])[] {
  const handle: unknown = Reflect.get(handlers, handler);
  if (!needs || !isHandler(handle)) return [];
  const guarded: Handler = (params, call) => {
    if (!isOpen(needs, call.session)) throw missingCapability(call.revision, needs);
    return handle(params, call);
  };
  return [[handler, guarded]];
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
