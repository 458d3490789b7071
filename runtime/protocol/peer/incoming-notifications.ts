import { isObject } from "../../../generated/support.ts";
import type { NotificationRoute, Routes } from "./routes.ts";
import { InvalidMessageError, toError } from "../../jsonrpc/errors.ts";
import type { IncomingRequests } from "./incoming-requests.ts";
import { isRequestId } from "../../jsonrpc/message.ts";
import type { OutgoingRequests } from "./request-table.ts";
import type { Connection } from "../session/connection.ts";
import type { ErrorReport } from "../../jsonrpc/error-report.ts";
import { isOpen } from "../session/session.ts";
import { shorten } from "../../internal/shorten.ts";

/** Part of the connection used by notifications. */
export interface NotificationHost extends Connection {
  readonly routes: Routes;
  /** Called when the peer has confirmed the handshake. */
  confirm(): void;
  report(report: ErrorReport): void;
}

/** Notification as it was received. */
export interface IncomingNotification {
  readonly method: string;
  readonly params: unknown;
}

/** Handles a notification. It never gets a response, even if it is invalid. */
export function acceptNotification(
  notice: IncomingNotification,
  peer: NotificationHost,
  calls: { readonly incomingRequests: IncomingRequests; readonly pendingRequests: OutgoingRequests },
  origin?: unknown,
): void {
  const known = findKnownName(notice, peer.routes);
  if (known !== undefined) return acceptNotification({ ...notice, method: known }, peer, calls, origin);
  const route = peer.routes.notifications.get(notice.method);
  const problem = findProblem(notice, route, peer);
  if (!route || problem) {
    const error = problem ?? new Error(`The notification ${shorten(notice.method)} is not defined in this direction`);
    return peer.report({ kind: "ignored", method: notice.method, error });
  }
  switch (route.row.method) {
    case "notifications/cancelled":
      cancel(notice.params, calls.incomingRequests);
      break;
    case "notifications/progress":
      progress(notice.params, calls.pendingRequests);
      break;
    case "notifications/initialized":
      peer.confirm();
      break;
  }
  runHandler(notice, route, peer, origin);
}

/** Returns the name of a notification at the revision, if it was received under another name. */
function findKnownName({ method }: IncomingNotification, { notifications, profile }: Routes): string | undefined {
  const known = notifications.has(method) ? undefined : profile?.aliases?.get(method);
  return known !== undefined && notifications.has(known) ? known : undefined;
}

function findProblem(
  { method, params }: IncomingNotification,
  route: NotificationRoute | undefined,
  peer: NotificationHost,
): Error | undefined {
  if (!route) return undefined;
  const { row } = route;
  if (row.gate && peer.session && !isOpen(row.gate, peer.session)) {
    return new Error(
      `The notification ${method} requires the capability ${row.gate.path.join(".")}, which was not declared`,
    );
  }
  if (params === undefined && row.paramsOptional) return undefined;
  const issue = row.params(params);
  return issue && new InvalidMessageError(method, "params", issue);
}

function cancel(params: unknown, incomingRequests: IncomingRequests): void {
  if (isObject(params) && isRequestId(params.requestId)) incomingRequests.cancel(params.requestId, params.reason);
}

function progress(params: unknown, pendingRequests: OutgoingRequests): void {
  if (!isObject(params) || !isRequestId(params.progressToken) || typeof params.progress !== "number") return;
  pendingRequests.progress(params.progressToken, {
    progress: params.progress,
    ...(typeof params.total === "number" && { total: params.total }),
    ...(typeof params.message === "string" && { message: params.message }),
  });
}

function runHandler(
  notice: IncomingNotification,
  { row, handle }: NotificationRoute,
  peer: NotificationHost,
  origin: unknown,
): void {
  if (!handle) return;
  const { method, params: given } = notice;
  const fail = (thrown: unknown): void => peer.report({ kind: "handler", method, error: toError(thrown) });
  const converter = peer.session?.converter;
  try {
    const received = { kind: "notification", method: row.method, params: given } as const;
    const params = converter ? converter.receivedParams(received) : given;
    Promise.resolve(handle(params, peer, origin)).catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}
