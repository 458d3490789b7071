import type { Extension, RequestRow, Revision } from "../../../generated/support.ts";
import { extensionOf, namedAfterExtension } from "../../protocol/revision/defined-extension.ts";
import { extendRevisions } from "../../protocol/revision/extend-revisions.ts";
import { missingCapability } from "../../protocol/peer/stateless-request.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isOpen } from "../../protocol/session/session.ts";

/** Support for extensions of the protocol. Programs without such a feature do not contain its code. */
export interface ExtensionSupport {
  /**
   * Returns revisions with these extensions.
   *
   * @throws {Error} when an extension is invalid, or when two conflict
   */
  extend(revisions: readonly Revision[], extensions: readonly Extension[]): readonly Revision[];
  /** Wraps the handlers of extension methods: they reject clients without a declaration of the extension, and their failures name it. */
  guard(handlers: object, revision: Revision): object;
}

/** Support for extensions on a server. */
export const extensionSupport: ExtensionSupport = {
  extend: (revisions, extensions) => extendRevisions(revisions, extensions, "server"),
  guard: guardHandlers,
};

/** Wraps the handlers of extension methods: they reject clients without a declaration of the extension, and their failures name it. */
export function guardHandlers(handlers: object, revision: Revision): object {
  const guarded = Object.values(revision.clientRequests).flatMap((row) => guardHandler(handlers, row));
  return { ...handlers, ...Object.fromEntries(guarded) };
}

type Handler = (params: unknown, call: CallContext) => unknown;

/** Wraps a handler: before it reads the params, it rejects clients without the needed capability. The error names the capability. */
function guardHandler(handlers: object, row: RequestRow): readonly (readonly [string, Handler])[] {
  const { handler, needs } = row;
  const found: unknown = Reflect.get(handlers, handler);
  if (extensionOf(row) === undefined || !isHandler(found)) return [];
  const handle = namedAfterExtension(row, found);
  const guarded: Handler = (params, call) => {
    if (needs && !isOpen(needs, call.session)) throw missingCapability(call.revision, needs);
    return handle(params, call);
  };
  return [[handler, guarded]];
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
