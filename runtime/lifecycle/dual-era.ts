import type { Revision } from "../../generated/support.ts";
import { missingMetadata, type MetadataReader } from "../protocol/session/request-metadata.ts";
import type { Acceptor, ServeOptions } from "./serve-options.ts";
import { createServedConverter } from "./served-converter.ts";
import { isHandshake } from "./negotiation.ts";
import { createPerRequest, type PerRequest } from "./stateless-server.ts";
import { createSessionAcceptor, type StatelessAccess } from "./initialize-server.ts";

/** Prepares a server for both lifecycles: clients open a session, or send stateless requests. */
export function createDualAcceptor(options: ServeOptions): Acceptor {
  const perRequest = createPerRequest(options, createServedConverter);
  if (perRequest && !options.revisions.some(isHandshake)) return perRequest.accept;
  const accept = createSessionAcceptor(options, perRequest && createStatelessEntrance(perRequest));
  if (!perRequest) return accept;
  return (channel, agreement, connect) =>
    agreement && (connect || !isHandshake(agreement.revision))
      ? perRequest.accept(channel, agreement, connect)
      : accept(channel, agreement);
}

function createStatelessEntrance({ reader, enter, notifications }: PerRequest): StatelessAccess {
  return {
    enter,
    join: (routes, opened) => ({
      ...routes,
      sessionOnly: routes,
      notifications,
      findFallback: (method) => (needsMetadata(method, reader, opened) ? undefined : routes.findFallback?.(method)),
      reject: (method) =>
        needsMetadata(method, reader, opened) ? missingMetadata(reader.revisions) : routes.reject(method),
      enter,
    }),
  };
}

/** True if only revisions with stateless requests have the method: a request without metadata lacks it by mistake then. */
function needsMetadata(method: string, { revisions }: MetadataReader, opened: readonly Revision[]): boolean {
  const has = (revision: Revision): boolean => Object.hasOwn(revision.clientRequests, method);
  return revisions.some(has) && !opened.some(has);
}
