import type { StreamAppend, StreamPart } from "../stores/shared-event-store.ts";

/** Only event of a stream whose request was not served. No message is such a text. */
const unserved = "null";

/** Returns the whole stream of a request which was not served because the session has ended. */
export function toUnserved(stream: string, owner: string): StreamAppend {
  return { stream, owner, fence: 0, first: 0, data: [unserved], requests: [0], settled: [0] };
}

/** True for the stream of a request which was not served. */
export function isUnserved({ events }: StreamPart): boolean {
  return events[0]?.data === unserved;
}
