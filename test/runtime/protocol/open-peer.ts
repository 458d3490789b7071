import type { NotificationRow, RequestRow } from "../../../generated/support.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { methodNotFound } from "../../../runtime/jsonrpc/errors.ts";
import type { Outgoing } from "../../../runtime/jsonrpc/message.ts";
import type { PeerSettings } from "../../../runtime/protocol/peer/peer-options.ts";
import { Peer } from "../../../runtime/protocol/peer/peer.ts";
import { createPendingRequests } from "../../../runtime/protocol/peer/outgoing-requests.ts";
import type { NotificationHandler, RequestHandler, Routes } from "../../../runtime/protocol/peer/routes.ts";
import type { Session } from "../../../runtime/protocol/session/session.ts";
import { newest, row } from "../../kit/revisions.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";

/** One end of a connection whose routes and rows a test has chosen; the other end is a raw wire. */
export interface OpenedPeer {
  readonly peer: Peer;
  readonly wire: Wire;
  readonly clock: ManualClock;
  readonly reports: ErrorReport[];
  /** Messages as the channel was given them. */
  readonly given: Outgoing[];
}

/** Routes, settings and members of the channel that a test has chosen. */
export interface OpenPeerOptions {
  readonly routes?: Partial<Routes>;
  readonly settings?: Partial<PeerSettings>;
  readonly channel?: object;
  /** Session that is open and confirmed, or `none`. */
  readonly session?: Partial<Session> | "none";
  /** Default: a new one. */
  readonly wire?: Wire;
}

/** Opens a peer whose channel and clock obey the test. */
export function openPeer(options: OpenPeerOptions = {}): OpenedPeer {
  const clock = new ManualClock();
  const reports: ErrorReport[] = [];
  const given: Outgoing[] = [];
  const { wire = new Wire() } = options;
  const send = wire.send.bind(wire);
  wire.send = (message, related) => {
    given.push(message);
    return send(message, related);
  };
  const routes: Routes = {
    requests: new Map(),
    notifications: new Map(),
    batching: false,
    neverBatched: new Set(),
    reject: methodNotFound,
    ...options.routes,
  };
  const peer = new Peer(Object.assign(wire, options.channel), routes, {
    reportsStrays: true,
    createPendingRequests,
    clock,
    onError: (report) => reports.push(report),
    ...options.settings,
  });
  peer.start();
  if (options.session !== "none") {
    peer.open({ ...plainSession, ...options.session }, routes);
    peer.confirm();
  }
  return { peer, wire, clock, reports, given };
}

/** A session in which nothing is declared. */
export const plainSession: Session = {
  revision: newest,
  role: "server",
  own: { info: undefined, capabilities: {} },
  peer: { info: undefined, capabilities: {} },
  instructions: undefined,
};

/** Rows that accept everything, with their handlers. */
export function requestsOf(
  handlers: Readonly<Record<string, RequestHandler>>,
  rest: Partial<RequestRow> = {},
): Routes["requests"] {
  return new Map(
    Object.entries(handlers).map(([method, handle]) => [method, { row: { ...row(method, method), ...rest }, handle }]),
  );
}

/** A notification whose params may be anything. */
export function noticeRow(method: string, rest: Partial<NotificationRow> = {}): NotificationRow {
  return { kind: "notification", method, handler: method, params: () => undefined, paramsOptional: true, ...rest };
}

/** Notifications that accept everything, with their handlers. */
export function noticesOf(handlers: Readonly<Record<string, NotificationHandler>>): Routes["notifications"] {
  return new Map(Object.entries(handlers).map(([method, handle]) => [method, { row: noticeRow(method), handle }]));
}
