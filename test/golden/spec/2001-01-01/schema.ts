/**
 * An invented protocol in which a client orders plants from the gardener that serves it. It uses every construct that a schema may
 * have, each at least once, and as few declarations as that takes.
 */

/** Revision of this protocol. */
export const LATEST_PROTOCOL_VERSION = "2001-01-01";
/** Required value of `jsonrpc`. */
export const JSONRPC_VERSION = "2.0";
/** The bed that was asked for is full. */
export const BED_FULL = -32050;
/** A constant that counts upwards. */
export const BEDS = 3;

// Plain types and what tags add to them.

/** Identifies a request. Prose says that numbers are integers. */
export type RequestId = string | number;

/**
 * Opaque position in a list.
 *
 * @internal
 */
export type Cursor = string;

/**
 * How wet the soil is.
 *
 * @minimum 0
 * @maximum 1
 * @TJS-type number
 * @category Soil
 */
export type Moisture = number;

/** A closed set of strings. */
export type Season = "spring" | "summer" | "autumn" | "winter";

/** An open set: the literals are suggestions. */
export type Colour = "green" | "red" | string;

/** @nullable */
export type Label = string | null;

/** Anything that can be planted, and what grows inside it. A type that contains itself. */
export type Seed = boolean | null | Seed[] | { [key: string]: Seed };

// Objects: bases, redeclared members, maps, quoted names.

/** An interface without members. */
export interface Marker {}

/** Free-form metadata. */
export type Meta = Record<string, unknown>;

/**
 * Metadata that requests carry.
 *
 * @see https://example.com/2001-01-01/meta
 * @see https://example.com/2001-01-01/meta#more
 */
export interface RequestMeta extends Meta {
  /** A name that is no identifier. */
  "example.com/gardener": string;
  /** A name with a dash, which any value may have. */
  "x-note"?: unknown;
}

/** Base of all requests. */
export interface Request {
  method: string;
  params?: {
    /** Metadata of the request. */
    _meta?: RequestMeta;
    // With `unknown`, interfaces without an index could not stand here.
    [key: string]: any;
  };
}

/** Base of all notifications. */
export interface Notification {
  method: string;
  params?: { _meta?: Meta; [key: string]: any };
}

/** Base of all results. */
export interface Result {
  _meta?: Meta;
  /** What kind of result this is. Prose says what its absence means. */
  resultType: Colour;
  [key: string]: unknown;
}

/** A plant in a pot, tagged by `kind`. */
export interface Potted {
  kind: "potted";
  /**
   * Where to find a picture.
   *
   * @format uri
   */
  picture?: string;
  /** Single literals: a number, and a truth value. */
  pots: 1;
  alive: true;
}

/** A plant in the ground, tagged by `kind`. Two bases share `label`. */
export interface Rooted extends Marker, Labelled {
  kind: "rooted" | "climbing";
  label: string;
  /** @maxItems 2 */
  neighbours: Plant[];
  bed: typeof BEDS;
}

/** Something with a label.
 *
 * @deprecated Write the label on the plant itself.
 * @since 2001
 */
export interface Labelled {
  label: Label;
  soil?: object;
  /**
   * @minLength 1
   * @maxLength 8
   */
  code?: string;
  /** An older name of the label. */
  title?: never;
  /**
   * @minItems 1
   * @default ["none"]
   */
  notes?: string[];
}

/** One of two, told apart by `kind`. */
export type Plant = Potted | Rooted;

/** One of two, told apart by which key is there. */
export type Parcel = Boxed | Wrapped;

/** A parcel with a box. */
export interface Boxed {
  box: { readonlyName: string; sizes: Array<number | Season> };
}

/** A parcel with paper, with members of every other type too. */
export interface Wrapped {
  paper: Colour;
  moisture: Moisture;
  labels: { [season: string]: Label };
  counts?: { total: number; [bed: string]: number };
}

/** Everything of a labelled thing but its soil. */
export interface Tag extends Omit<Labelled, "soil" | "label"> {
  text: string;
}

/** An intersection: members meet one by one. */
export type Failure = Problem & { code: typeof BED_FULL; data: { bed: number } };

/** A problem, told to the other side. */
export interface Problem {
  /** An error code. */
  code: number;
  message: string;
  data?: unknown;
}

// Messages.

/** A request on the wire. */
export interface JSONRPCRequest extends Request {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
}

/** A failure on the wire. */
export interface JSONRPCError {
  jsonrpc: typeof JSONRPC_VERSION;
  id?: RequestId;
  error: Failure | Problem;
}

/**
 * Starts a connection.
 *
 * @category `initialize`
 */
export interface InitializeRequest extends JSONRPCRequest {
  method: "initialize";
  params: { season: Season; capabilities: ClientCapabilities };
}

/** The answer to it. */
export interface InitializeResult extends Result {
  capabilities: ServerCapabilities;
}

/** Says that the other side is alive; both sides may ask. */
export interface PingRequest extends JSONRPCRequest {
  method: "ping";
}

/** An answer without content. */
export type EmptyResult = Result;

/** Named params, which may be left out. */
export interface ListPlantsRequestParams {
  _meta?: RequestMeta;
  cursor?: Cursor;
}

/**
 * Lists the plants. Has an example.
 *
 * @example A list of potted plants
 * {@includeCode ./examples/plants.json}
 * @category `plants/list`
 */
export interface ListPlantsRequest extends JSONRPCRequest {
  method: "plants/list";
  params?: ListPlantsRequestParams;
}

/** The plants. */
export interface ListPlantsResult extends Result {
  plants: Plant[];
  /** @minimum 0 */
  beds?: number;
  nextCursor?: Cursor;
}

/** Orders a plant; the result may be a promise, or a wish for more input. */
export interface OrderPlantRequest extends JSONRPCRequest {
  method: "plants/order";
  params: { _meta?: RequestMeta; plant: Plant; later?: object };
}

/** A delivered plant. */
export interface OrderPlantResult extends Result {
  parcel: Parcel;
}

/** An order that is delivered later. */
export interface OrderPromise extends Result {
  promise: string;
}

/** An order that cannot be filled without an answer. */
export interface QuestionResult extends Result {
  question?: ChooseColourRequest;
  state?: string;
}

/** The whole answer to an order: its results are taken from here. */
export interface OrderPlantResultResponse {
  id: RequestId;
  result: OrderPlantResult | QuestionResult;
}

/** Asks the user for a colour, inside a result. */
export interface ChooseColourRequest {
  method: "colours/choose";
  params: { message: string };
}

/** The colour that was chosen. */
export interface ChooseColourResult {
  colour: Colour;
}

/** The connection is ready. */
export interface InitializedNotification extends Notification {
  method: "notifications/initialized";
}

/** A plant has grown. */
export interface PlantsGrownNotification extends Notification {
  method: "notifications/plants/grown";
  params: { plant: Plant; moisture: Moisture };
}

/** What a client can do. */
export interface ClientCapabilities {
  colours?: { names?: object };
  shades?: object;
}

/** What a server can do. */
export interface ServerCapabilities {
  plants?: { grown?: boolean };
}

// Who sends what.

/** Requests of the client. */
export type ClientRequest = InitializeRequest | PingRequest | ListPlantsRequest | OrderPlantRequest;
/** Requests of the server: an alias of a single type. */
export type ServerRequest = PingRequest;
/** Notifications of the client. */
export type ClientNotification = InitializedNotification;
/** Notifications of the server. */
export type ServerNotification = PlantsGrownNotification;
