import type { RequestRow, Revision } from "../../generated/support.ts";
import type { MessageSteps } from "../protocol/peer/message-middleware.ts";
import type { RequestHandler, RequestRoute, Routes } from "../protocol/peer/routes.ts";
import { RpcError, errorCodes } from "../jsonrpc/errors.ts";
import type { PerRevision } from "./serve-options.ts";

/** Returns the value for one revision; `undefined` if none is given. */
export function resolve<Value extends object | string>(value: PerRevision<Value>, revision: Revision): Value;
export function resolve<Value extends object | string>(
  value: PerRevision<Value> | undefined,
  revision: Revision,
): Value | undefined;
export function resolve<Value extends object | string>(
  value: PerRevision<Value> | undefined,
  revision: Revision,
): Value | undefined {
  return isMaker<Value>(value) ? value(revision) : value;
}

/** Creates the routes for the time before a session: `ping`, and on a server `initialize`. */
export function createInitializeRoutes(
  rows: InitializeRows,
  { receiveRequest }: MessageSteps,
  initialize?: RequestHandler,
): Routes {
  const ping: RequestHandler = receiveRequest
    ? (params, call) => receiveRequest({ method: "ping", params, session: undefined }, call, () => ({}))
    : respondToPing;
  const requests = new Map<string, RequestRoute>([["ping", { row: rows.ping, handle: ping }]]);
  const first = { row: { ...rows.initialize, ...unchecked }, handle: initialize, isFirst: true } as const;
  if (initialize) requests.set("initialize", first);
  return {
    requests,
    notifications: new Map(),
    batching: false,
    neverBatched: new Set(),
    reject: () => notInitialized(errorCodes.invalidRequest),
  };
}

/** Creates the error of a request before the handshake. */
export function notInitialized(code: number): RpcError {
  return new RpcError(code, "The session is not initialized; send initialize first");
}

/** Rows of the two requests that are possible before a revision has been agreed on. */
export interface InitializeRows {
  readonly initialize: RequestRow;
  readonly ping: RequestRow;
}

/**
 * Returns the opening rows from the tables of a revision.
 *
 * @throws {Error} when the tables lack one of them
 */
export function readInitializeRows(revision: Revision): InitializeRows {
  const { initialize, ping } = revision.clientRequests;
  if (!initialize || !ping) throw new Error(`Revision ${revision.id} has no initialize or no ping`);
  return { initialize, ping };
}

/** Responds to `ping` in every state. */
export const respondToPing: RequestHandler = () => ({});

function isMaker<Value extends object | string>(
  value: PerRevision<Value> | undefined,
): value is (revision: Revision) => Value {
  return typeof value === "function";
}

/** Check that accepts any value. */
export const acceptAll = (): undefined => undefined;

/** Accepts any params: the right checks are known only after the requested version has been read. */
const unchecked = { params: acceptAll, paramsOptional: true, result: acceptAll } as const;
