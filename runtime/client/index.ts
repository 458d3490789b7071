/** Connections below sessions, and the types of a client's options and callbacks. */
export { connect } from "./connect.ts";
export type { ClientConnection, ConnectOptions } from "./connect.ts";

export type { ClientEvent, RestoredState } from "./events.ts";

export type { Connectable, ConnectServerOptions, ConnectionFactoryOptions } from "./connection-factory.ts";

export type { KeepAliveOptions, ReconnectOptions, Retry } from "./options.ts";

export type { Page, PageLimits, PageParams } from "./lists/pages.ts";

export type {
  ClientRequestContext,
  ClientTypes,
  ElicitationOption,
  FormContext,
  FormResult,
  ListName,
  Roots,
  RootsOption,
  SamplingOption,
  UrlResult,
} from "./protocol-types.ts";

export type { CacheOptions } from "./lists/result-cache.ts";

export type { ListCallOptions, ReadCallOptions, SessionCallOptions } from "./session/client-session.ts";

export type { ResourceListener } from "./subscriptions/resource-subscriptions.ts";

export type { AuthResponse, AuthRequest } from "../transport/http-client/auth-provider.ts";

export type { OpenOptions } from "../lifecycle/open-options.ts";
