import { isObject } from "../../generated/support.ts";
import type { Channel } from "./channel.ts";
import type { Limits } from "./limits.ts";
import { isBatch, type NotificationMessage, type Outgoing, type RequestMessage } from "./message.ts";

/**
 * True if a message may be sent now: every message except a log message for which there is no room. At most 8 MiB of log messages wait for a slow
 * reader, or half of what may wait before the connection is ended, whichever is less. So log messages never cost the connection its responses, even
 * from handlers that do not wait for them.
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

/** Returns a lower bound for the length of a log message's text. Most messages without room are found by it, and not encoded. */
function leastLength({ params }: NotificationMessage | RequestMessage): number {
  return isObject(params) && typeof params.data === "string" ? params.data.length : 0;
}

const mostLogBytes = 8 * 1024 * 1024;
