import { isObject } from "../../generated/support.ts";
import type { Broadcast, NodeMessage } from "../stores/node-directory.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";

/** Messages to hold for one node; the oldest are removed. */
export const mostMessages = 10_000;

/** Milliseconds to hold messages for a node which does not read them. */
export const messagesTtl = 600_000;

/** True for a message to a node. Its content was signed by a node, so only its kind and its members are checked. */
export function isNodeMessage(value: unknown): value is NodeMessage {
  if (!isObject(value)) return false;
  switch (value.kind) {
    case "deliver":
      return isSessionKey(value.session) && isObject(value.incoming) && typeof value.incoming.kind === "string";
    case "send":
      return isSessionKey(value.session) && typeof value.text === "string";
    case "resumed":
    case "listen":
      return isSessionKey(value.session) && typeof value.stream === "string";
    case "post":
      return isSessionKey(value.session) && isForwardedBody(value);
    case "changed":
    case "ended":
      return isSessionKey(value.session);
    case "task":
      return (
        typeof value.id === "string" &&
        typeof value.owner === "string" &&
        (value.from === undefined || typeof value.from === "string")
      );
    default:
      return false;
  }
}

function isForwardedBody({ identity, stream, isStateless }: Readonly<Record<string, unknown>>): boolean {
  return (
    (identity === undefined || isObject(identity)) &&
    (stream === undefined || typeof stream === "string") &&
    (isStateless === undefined || typeof isStateless === "boolean")
  );
}

/** True for a broadcast. */
export function isBroadcast(value: unknown): value is Broadcast {
  if (!isObject(value) || (value.sender !== undefined && typeof value.sender !== "string")) return false;
  switch (value.kind) {
    case "notification":
      return typeof value.handler === "string" && (value.params === undefined || isObject(value.params));
    case "updated":
      return Array.isArray(value.uris) && value.uris.length > 0 && value.uris.every((uri) => typeof uri === "string");
    case "topic":
      return typeof value.topic === "string" && typeof value.handler === "string" && isObject(value.params);
    case "lists":
      return (
        typeof value.node === "string" &&
        isObject(value.digests) &&
        Object.values(value.digests).every((digest) => typeof digest === "string")
      );
    case "revoked":
      return typeof value.key === "string" && typeof value.until === "number";
    default:
      return false;
  }
}

function isSessionKey(value: unknown): value is SessionKey {
  return (
    isObject(value) && typeof value.id === "string" && (value.owner === undefined || typeof value.owner === "string")
  );
}
