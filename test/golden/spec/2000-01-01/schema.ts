/**
 * The revision before. It lacks what was added since, and some values were of another kind, so that each kind of conversion occurs.
 */

/** Revision of this protocol. */
export const LATEST_PROTOCOL_VERSION = "2000-01-01";
/** Required value of `jsonrpc`. */
export const JSONRPC_VERSION = "2.0";

/** Identifies a request. */
export type RequestId = string | number;

/** Nothing was planted in winter. */
export type Season = "spring" | "summer" | "autumn";

/** Free-form metadata. */
export type Meta = Record<string, unknown>;

/** Any key was allowed, and none was reserved. */
export interface RequestMeta extends Meta {
  "x-note"?: unknown;
}

/** Base of all requests. */
export interface Request {
  method: string;
  params?: { _meta?: RequestMeta; [key: string]: any };
}

/** Base of all notifications. */
export interface Notification {
  method: string;
  params?: { _meta?: Meta; [key: string]: any };
}

/** Base of all results, which had no type. */
export interface Result {
  _meta?: Meta;
  [key: string]: unknown;
}

/** A plant in a pot, without a picture. */
export interface Potted {
  kind: "potted";
  pots: 1;
  alive: true;
}

/** A plant in the ground. Its soil was required, and its bed had no number. */
export interface Rooted {
  kind: "rooted" | "climbing";
  label: string;
  soil: object;
  neighbours: Plant[];
}

/** One of two, told apart by `kind`. */
export type Plant = Potted | Rooted;

/** Every parcel had a box. */
export type Parcel = Boxed;

/** A parcel with a box. Sizes were numbers. */
export interface Boxed {
  box: { readonlyName: string; sizes: number[] };
}

/** A problem, told to the other side. */
export interface Problem {
  code: number;
  message: string;
  data?: unknown;
}

/** A request on the wire. */
export interface JSONRPCRequest extends Request {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
}

/** A failure on the wire. */
export interface JSONRPCError {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
  error: Problem;
}

/** Starts a connection. */
export interface InitializeRequest extends JSONRPCRequest {
  method: "initialize";
  params: { season: Season; capabilities: ClientCapabilities };
}

/** The answer to it. */
export interface InitializeResult extends Result {
  capabilities: ServerCapabilities;
}

/** Says that the other side is alive. */
export interface PingRequest extends JSONRPCRequest {
  method: "ping";
}

/** An answer without content. */
export type EmptyResult = Result;

/** Orders a plant. */
export interface OrderPlantRequest extends JSONRPCRequest {
  method: "plants/order";
  params: { _meta?: RequestMeta; plant: Plant };
}

/** A delivered plant. */
export interface OrderPlantResult extends Result {
  parcel: Parcel;
}

/** The connection is ready. */
export interface InitializedNotification extends Notification {
  method: "notifications/initialized";
}

/** A plant has grown. Nothing said how wet its soil is. */
export interface PlantsGrownNotification extends Notification {
  method: "notifications/plants/grown";
  params: { plant: Plant };
}

/** What a client can do. */
export interface ClientCapabilities {
  colours?: object;
}

/** What a server can do. */
export interface ServerCapabilities {
  plants?: { grown?: boolean };
}

/** Requests of the client. */
export type ClientRequest = InitializeRequest | PingRequest | OrderPlantRequest;
/** Requests of the server. */
export type ServerRequest = PingRequest;
/** Notifications of the client. */
export type ClientNotification = InitializedNotification;
/** Notifications of the server. */
export type ServerNotification = PlantsGrownNotification;
