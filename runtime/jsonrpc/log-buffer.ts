import { isObject } from "../../generated/support.ts";
import type { Channel } from "./channel.ts";
import type { Limits } from "./limits.ts";
import { isBatch, type NotificationMessage, type Outgoing, type RequestMessage } from "./message.ts";

/**
 * True if a message may be sent now: every message except a log message for which there is no room. At most 8 MiB of log messages wait for a slow
 * reader, or half of what may wait before the connection is ended, if that is less. Log messages of handlers that do not wait for them then never
 * cost the connection its responses.
 */
export function hasLogRoom(
  message: Outgoing,
  channel: Pick<Channel, "buffered" | "maxBuffered">,
  { maxBufferedBytes }: Limits,
): boolean {
  if (isBatch(message) || !("method" in message) || message.method !== "notifications/message") return true;
  const { buffered = 0, maxBuffered: most = maxBufferedBytes } = channel;
  const room = Math.min(mostLogBytes, most / 2) - buffered;
  return leastLength(message) <= room && JSON.stringify(message).length <= room;
}

/** Returns a length that the text of a log message exceeds. Most messages without room are found by it, and not encoded. */
function leastLength({ params }: NotificationMessage | RequestMessage): number {
  return isObject(params) && typeof params.data === "string" ? params.data.length : 0;
}

const mostLogBytes = 8 * 1024 * 1024;
