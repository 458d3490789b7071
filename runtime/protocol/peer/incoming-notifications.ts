import { isObject } from "../../../generated/support.ts";
import type { NotificationRoute, Routes } from "./routes.ts";
import { InvalidMessageError, toError } from "../../jsonrpc/errors.ts";
import type { MessageSteps } from "./message-middleware.ts";
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
  /** Middleware of this end, composed. */
  readonly steps: MessageSteps;
  /** Called when the peer has confirmed the handshake. */
  confirm(): void;
  report(report: ErrorReport): void;
}

/** Notification as it was received. */
export interface IncomingNotification {
  readonly method: string;
  readonly params: unknown;
  /** What the transport knows about its source. */
  readonly origin?: unknown;
}

/** Handles a notification. It never gets a response, even if it is invalid. */
export function acceptNotification(notice: IncomingNotification, peer: NotificationHost, calls: CallTables): void {
  const known = findKnownName(notice, peer.routes);
  if (known !== undefined) return acceptNotification({ ...notice, method: known }, peer, calls);
  const route = peer.routes.notifications.get(notice.method);
  const problem = findProblem(notice, route, peer);
  if (!route || problem) {
    const error = problem ?? new Error(`The notification ${shorten(notice.method)} is not defined in this direction`);
    return peer.report({ kind: "ignored", method: notice.method, error });
  }
  const { receiveNotification } = peer.steps;
  if (receiveNotification) {
    const passed = runMiddleware(receiveNotification, { notice, route }, peer, calls);
    return void passed.catch((thrown: unknown) => reportFailure(thrown, notice, peer));
  }
  takeEffect(route, notice.params, peer, calls);
  runHandler(notice, route, peer);
}

/** Tables of the calls in both directions. */
interface CallTables {
  readonly incomingRequests: IncomingRequests;
  readonly pendingRequests: OutgoingRequests;
}

/** Does what a notification means to the connection itself. */
function takeEffect({ row }: NotificationRoute, params: unknown, peer: NotificationHost, calls: CallTables): void {
  switch (row.method) {
    case "notifications/cancelled":
      cancel(params, calls.incomingRequests);
      break;
    case "notifications/progress":
      progress(params, calls.pendingRequests);
      break;
    case "notifications/initialized":
      peer.confirm();
      break;
  }
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

function runHandler(notice: IncomingNotification, route: NotificationRoute, peer: NotificationHost): void {
  if (!route.handle) return;
  const fail = (thrown: unknown): void => reportFailure(thrown, notice, peer);
  try {
    Promise.resolve(route.handle(toWritten(notice, route, peer), peer, notice.origin)).catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}

/** Runs a notification through middleware. Its effect and its handler are the last step. */
async function runMiddleware(
  run: NonNullable<MessageSteps["receiveNotification"]>,
  { notice, route }: { readonly notice: IncomingNotification; readonly route: NotificationRoute },
  peer: NotificationHost,
  calls: CallTables,
): Promise<void> {
  const { method } = route.row;
  const params = toWritten(notice, route, peer);
  await run({ method, params, session: peer.session }, (given) => {
    takeEffect(route, given, peer, calls);
    return route.handle?.(given, peer, notice.origin);
  });
}

function reportFailure(thrown: unknown, { method }: IncomingNotification, peer: NotificationHost): void {
  peer.report({ kind: "handler", method, error: toError(thrown) });
}

/** Returns the params as the code of this end knows them. */
function toWritten(
  { params }: IncomingNotification,
  { row }: NotificationRoute,
  { session }: NotificationHost,
): unknown {
  const converter = session?.converter;
  return converter ? converter.receivedParams({ kind: "notification", method: row.method, params }) : params;
}
