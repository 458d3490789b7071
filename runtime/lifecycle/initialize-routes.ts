import type { RequestRow, Revision } from "../../generated/support.ts";
import type { RequestHandler, RequestRoute, Routes } from "../protocol/routes.ts";
import type { RevisionConverter } from "../protocol/revision-converter.ts";
import { RpcError, errorCodes } from "../jsonrpc/errors.ts";
import type { AcceptorParts, ServeOptions } from "./acceptor.ts";

/** The same for every revision, or made for the one that was negotiated. */
export type PerRevision<Value extends object | string> = Value | ((revision: Revision) => Value);

/** The value for one revision. */
export function resolve<Value extends object | string>(value: PerRevision<Value>, revision: Revision): Value {
  return isMaker(value) ? value(revision) : value;
}

/** How what a server says becomes what a revision has: its own code is written for the first revision that it serves. */
export function createServedConverter(
  revision: Revision,
  { revisions, onLoss: mode, onError }: ServeOptions,
  { createRevisionConverter }: AcceptorParts,
): RevisionConverter | undefined {
  return createRevisionConverter?.(revision, { role: "server", written: revisions[0] ?? revision, mode, onError });
}

/** Routes for as long as there is no session: `ping`, and on a server `initialize`. */
export function createOpeningRoutes(rows: OpeningRows, initialize?: RequestHandler): Routes {
  const requests = new Map<string, RequestRoute>([["ping", { row: rows.ping, handle: answerPing }]]);
  const first = { row: { ...rows.initialize, ...unchecked }, handle: initialize, isFirst: true } as const;
  if (initialize) requests.set("initialize", first);
  return {
    requests,
    notifications: new Map(),
    batching: false,
    neverBatched: new Set(),
    refuse: () => notInitialized(errorCodes.invalidRequest),
  };
}

/** The refusal of a request that comes before the handshake. */
export function notInitialized(code: number): RpcError {
  return new RpcError(code, "The session is not initialized: send initialize first");
}

/** The two requests that are possible before a revision has been agreed on. */
export interface OpeningRows {
  readonly initialize: RequestRow;
  readonly ping: RequestRow;
}

/** Takes the opening rows from the tables of a revision. */
export function readOpeningRows(revision: Revision): OpeningRows {
  const { initialize, ping } = revision.clientRequests;
  if (!initialize || !ping) throw new Error(`Revision ${revision.id} lacks initialize or ping in its tables`);
  return { initialize, ping };
}

/** Answers `ping` in every state. */
export const answerPing: RequestHandler = () => ({});

function isMaker<Value extends object | string>(value: PerRevision<Value>): value is (revision: Revision) => Value {
  return typeof value === "function";
}

/** Which checks apply is known only when the version that is asked for has been read. */
const unchecked = { params: acceptAll, paramsOptional: true, result: acceptAll } as const;

function acceptAll(): undefined {
  return undefined;
}
