import type { Acceptor, AcceptorParts, ServeOptions } from "./handshake.ts";
import { isHandshake } from "./negotiate.ts";
import { createPerRequest } from "./per-request.ts";
import { createSessionAcceptor } from "./sessions.ts";

/** Prepares a server for both lifecycles: clients open a session, or each of their requests stands alone. */
export function createDualAcceptor(options: ServeOptions, parts: AcceptorParts = {}): Acceptor {
  const perRequest = createPerRequest(options, parts);
  if (perRequest && !options.revisions.some(isHandshake)) return perRequest.accept;
  return createSessionAcceptor(options, { ...parts, perRequest });
}
