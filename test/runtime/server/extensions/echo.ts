import {
  fail,
  isObject,
  type Check,
  type Extension,
  type NoRows,
  type NotificationRow,
  type RequestRow,
} from "../../../../generated/support.ts";

/** Identifier of the extension of these tests. */
export const id = "com.example/echo";

interface Text {
  readonly text: string;
}

const gate = { side: "server", path: ["extensions", id] } as const;

const checkText: Check = (value) =>
  isObject(value) && typeof value.text === "string" ? undefined : fail("string", "text");

function request(method: string, handler: string): RequestRow<Text, Text> {
  const needs = { side: "client", path: gate.path } as const;
  return {
    kind: "request",
    method,
    handler,
    params: checkText,
    paramsOptional: false,
    result: checkText,
    gate,
    ...(handler !== "echoVoice" && { needs }),
  };
}

function notification(method: string, handler: string): NotificationRow<Text> {
  return { kind: "notification", method, handler, params: checkText, paramsOptional: false, gate };
}

/** Types of the messages, as the compiler writes them. */
export interface Tables {
  readonly clientRequests: {
    readonly "echo/say": RequestRow<Text, Text>;
    readonly "echo/spell": RequestRow<Text, Text>;
  };
  readonly serverRequests: { readonly "echo/voice": RequestRow<Text, Text> };
  readonly clientNotifications: { readonly "notifications/echo/heard": NotificationRow<Text> };
  readonly serverNotifications: { readonly "notifications/echo/faded": NotificationRow<Text> };
}

/** Requests of clients. */
export const clientRequests: Tables["clientRequests"] = {
  "echo/say": request("echo/say", "sayEcho"),
  // A handler name of the core: two types of different packages may have the same name.
  "echo/spell": request("echo/spell", "callTool"),
};

/** Notifications of clients. */
export const clientNotifications: Tables["clientNotifications"] = {
  "notifications/echo/heard": notification("notifications/echo/heard", "echoHeard"),
};

/** An extension as the compiler writes it. */
export const extension: Extension<Tables> = {
  id,
  status: "released",
  lifecycles: ["handshake", "per-request"],
  declared: { client: () => undefined, server: checkLoudness },
  clientRequests,
  serverRequests: { "echo/voice": request("echo/voice", "echoVoice") },
  clientNotifications,
  serverNotifications: { "notifications/echo/faded": notification("notifications/echo/faded", "echoFaded") },
  headers: [],
  results: [],
  members: [],
};

function checkLoudness(settings: unknown): ReturnType<Check> {
  return isObject(settings) && ["undefined", "boolean"].includes(typeof settings.loud)
    ? undefined
    : fail("boolean", "loud");
}

/** An extension without messages. */
export function emptyExtension(other: string): Extension<{ readonly [Table in keyof Tables]: NoRows }> {
  const {
    clientRequests: _1,
    serverRequests: _2,
    clientNotifications: _3,
    serverNotifications: _4,
    ...rest
  } = extension;
  return {
    ...rest,
    id: other,
    clientRequests: {},
    serverRequests: {},
    clientNotifications: {},
    serverNotifications: {},
  };
}
