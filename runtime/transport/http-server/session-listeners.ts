import type { SessionStream } from "./event-stream.ts";

/** Start of the keys of streams opened by GET; a nonce is hexadecimal. In a cluster, the stored stream says what it is. */
export const listenerMark = "g";

/** True if a stream of a server without a cluster was opened by GET. */
export function isListenerKey(key: string): boolean {
  return key.startsWith(listenerMark);
}

/** Returns the latest stream opened by GET that is connected, or else the latest that its client can resume. */
export function findListener(listeners: readonly SessionStream[]): SessionStream | undefined {
  return listeners.findLast((stream) => stream.isConnected) ?? listeners.findLast((stream) => stream.isResumable);
}

/** Returns the streams that stay beside a new one: those with a connection, without the oldest one when there are too many. */
export function keptListeners(listeners: readonly SessionStream[]): readonly SessionStream[] {
  return listeners.filter(({ isConnected }) => isConnected).slice(-(maxListeners - 1));
}

/** Maximum number of streams that a client may hold open by GET. */
const maxListeners = 2;
