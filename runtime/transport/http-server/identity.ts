import { isObject, type Awaitable } from "../../../generated/support.ts";
import type { NetworkDetails } from "../../jsonrpc/channel.ts";
import type { SharedParts } from "../../stores/shared-parts.ts";
import type { HttpResponse, Exchange, HeaderFields, RequestHead } from "./exchange/exchange.ts";
import type { HostOptions } from "./host-rules.ts";

/** Authenticated sender of a request. */
export interface Identity {
  /** Owner of the sender's sessions; no other principal can use them. */
  readonly principal: string;
  /** Scopes of the sender, with the names used by tools, resources and prompts. Default: none. */
  readonly scopes?: readonly string[];
  /** Milliseconds since 1970 at which the credentials expire; streams to the sender end then. Default: they do not end. */
  readonly until?: number;
  /** Further data for handlers. */
  readonly claims?: unknown;
}

/** True for an identity. Types do not check those of another node, or of a guard in JavaScript. */
export function isIdentity(value: unknown): value is Identity {
  return isObject(value) && typeof value.principal === "string";
}

/**
 * Checks the outcome of a guard. A sender without a principal would count as one of a server without a guard.
 *
 * @throws {Error} when it is neither a response nor an identity
 */
export function checkOutcome(outcome: Identity | HttpResponse): Identity | HttpResponse {
  const value: unknown = outcome;
  if (isObject(value) && (typeof value.status === "number" || (isIdentity(value) && value.principal !== "")))
    return outcome;
  throw new Error("The guard returned neither a principal nor a response; return { status: 401 } for unknown senders");
}

/**
 * Authenticates the sender of a request, or returns a response in place of the server: 401 with `WWW-Authenticate`, 403, ... Fields added to `reply`
 * become part of the response in any case.
 */
export type Authenticate = (
  request: RequestHead,
  reply: Pick<Exchange, "addFields">,
) => Awaitable<Identity | HttpResponse>;

/** Access control of a server, with its challenges and public documents. */
export interface Guard {
  readonly authenticate: Authenticate;
  /** Returns the fields of the 403 response to a sender without some of these scopes. Default: none. */
  challengeScopes?(needed: readonly string[], identity: Identity, request: RequestHead): HeaderFields;
  /**
   * Calls `end` when the credentials of an identity are revoked, now or later; its streams end then. Returns a function to end the watch. Default:
   * streams do not end early.
   */
  watchRevocation?(identity: Identity, end: () => void): () => void;
  /** Uses the stores and keys of a cluster where the guard has none of its own. Called before the first request. */
  useCluster?(shared: SharedParts): void;
  /** Public responses to GET, by path: they describe how to get access. */
  readonly documents?: ReadonlyMap<string, HttpResponse>;
}

/** Rules for who may send requests: the hosts, the pages and the clients of a server. */
export interface GuardOptions extends HostOptions {
  /** Authenticates the senders of requests. Default: no authentication. */
  readonly authenticate?: Authenticate | Guard;
}

/** Normalizes a guard that may be a function. */
export function toGuard(authenticate: Authenticate | Guard | undefined): Guard | undefined {
  return typeof authenticate === "function" ? { authenticate } : authenticate;
}

/** Origin of a message: handlers find it in `context.origin` over HTTP. */
export interface HttpOrigin {
  /** Identity of the sender; absent without authentication. */
  readonly identity: Identity | undefined;
  /** Network connection of the message, for telemetry; without an address where another node has received it. */
  readonly network?: NetworkDetails;
  /**
   * Closes the connection on which the client waits for the response. A client of a revision with resumable streams reconnects for it. Other clients
   * keep waiting, so nothing is closed.
   *
   * @returns true if it was closed
   */
  releaseConnection(): boolean;
}

/** Returns the origin of a message whose connection cannot be released. */
export function toOrigin(identity: Identity | undefined, exchange: RemoteEnd): HttpOrigin {
  return { identity, network: toNetwork(exchange), releaseConnection: () => false };
}

/** Remote end of a request, as far as the platform reports it. */
export type RemoteEnd = Partial<Pick<RequestHead, "address" | "port" | "version">>;

/** Returns the network connection of a request. */
export function toNetwork({ address, port, version }: RemoteEnd): NetworkDetails {
  return { transport: "tcp", protocol: "http", protocolVersion: version, address, port };
}
