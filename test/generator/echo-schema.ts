/** Schema of an extension as its authors publish it, which imports types of the core. */
export const echoSchema = `import type { JSONRPCRequest, JSONRPCNotification, RequestParams, NotificationParams, Result } from "@example/core";

/** What either side declares. */
export interface EchoSettings {
  /** Longest text. */
  limit?: number;
}

/** Params. */
export interface SayRequestParams extends RequestParams {
  text: string;
  volume?: number;
}
/** Says a text. */
export interface SayRequest extends JSONRPCRequest {
  method: "echo/say";
  params: SayRequestParams;
}
/** The echo. */
export interface SayResult extends Result {
  text: string;
}
/** Hears a text. */
export interface HearRequest extends JSONRPCRequest {
  method: "echo/hear";
  params?: RequestParams;
}
/** The echo. */
export interface HearResult extends Result {
  heard: string[];
}
/** From the server. */
export interface EchoedNotification extends JSONRPCNotification {
  method: "notifications/echo/echoed";
  params: NotificationParams & { text: string };
}
/** From the client. */
export interface SilenceNotification extends JSONRPCNotification {
  method: "notifications/echo/silence";
  params?: NotificationParams;
}
/** Requests of the client. */
export type EchoClientRequest = SayRequest | HearRequest;
/** Notifications of the server. */
export type EchoServerNotification = EchoedNotification;
/** Notifications of the client. */
export type EchoClientNotification = SilenceNotification;
`;

/** Its second version: a member has another name, and a method is new. */
export const echoSchemaNext: string = echoSchema
  .replace("volume?: number", "loudness?: number")
  .replace(
    "/** Requests of the client. */",
    `/** Shouts a text. */
export interface ShoutRequest extends JSONRPCRequest {
  method: "echo/shout";
  params: SayRequestParams;
}
/** The echo. */
export interface ShoutResult extends Result {
  text: string;
}
/** Requests of the client. */`,
  )
  .replace("SayRequest | HearRequest", "SayRequest | HearRequest | ShoutRequest");
