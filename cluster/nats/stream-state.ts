import { isObject } from "../../generated/support.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import type { StreamAppend } from "../stores/shared-event-store.ts";
import { parseLimited } from "../engine/parse-limited.ts";

/** State of a stream after a batch of its events. Each message on the subject of a stream has a batch and the state after it. */
export interface StreamState {
  readonly owner: string;
  readonly fence: number;
  /** Sequences after the last events of replaced owners, by fence. */
  readonly ends: readonly (readonly [fence: number, end: number])[];
  /** Requests without a response. */
  readonly open: readonly RequestId[];
  readonly isResponse: boolean;
  readonly isEnded: boolean;
  /** Sequence of the next event. */
  readonly next: number;
  /** Sequence of the oldest kept event. */
  readonly oldest: number;
  /** Characters of the kept events. */
  readonly size: number;
}

/** Batch of events with the state after it. */
export interface StreamBatch extends StreamState {
  readonly data: readonly string[];
}

/** Creates the state of a stream without events. */
export function createState({ owner, requests = [] }: StreamAppend): StreamState {
  const open = [...new Set(requests)];
  const isResponse = open.length > 0;
  return { owner, fence: 0, ends: [], open, isResponse, isEnded: false, next: 0, oldest: 0, size: 0 };
}

/** Adds the events of an owner, and marks requests as settled. */
export function addEvents(state: StreamState, data: readonly string[], settled: readonly RequestId[]): StreamBatch {
  const open = state.open.filter((id) => !settled.includes(id));
  const isEnded = state.isResponse && open.length === 0;
  return { ...extend(state, data), open, isEnded, data };
}

/** Returns the state with another owner, and with the next fence. */
export function replaceOwner(state: StreamState, owner: string): StreamState {
  const ends = [...state.ends, [state.fence, state.next] as const].slice(-maxReplacedOwners);
  return { ...state, owner, fence: state.fence + 1, ends };
}

/** Adds the last events, and ends the stream. */
export function endStream(state: StreamState, data: readonly string[]): StreamBatch {
  return { ...extend(state, data), open: [], isEnded: true, data };
}

/** True if the events were stored before the owner was replaced. */
export function wasStored({ ends }: StreamState, { fence, first, data }: StreamAppend): boolean {
  const [, end = 0] = ends.find(([earlier]) => earlier === fence) ?? [];
  return data.length > 0 && first + data.length <= end;
}

/** Parses a batch. Returns `undefined` when it is invalid. */
export function parseBatch(text: string | undefined): StreamBatch | undefined {
  const value = text === undefined ? undefined : parseLimited(text, maxBatchSize);
  return isBatch(value) ? value : undefined;
}

function extend(state: StreamState, data: readonly string[]): StreamState {
  const size = data.reduce((sum, text) => sum + text.length, state.size);
  return { ...state, next: state.next + data.length, size };
}

function isBatch(value: unknown): value is StreamBatch {
  return (
    isObject(value) &&
    typeof value.owner === "string" &&
    [value.fence, value.next, value.oldest, value.size].every(Number.isSafeInteger) &&
    typeof value.isResponse === "boolean" &&
    typeof value.isEnded === "boolean" &&
    Array.isArray(value.ends) &&
    Array.isArray(value.open) &&
    value.open.every((id) => typeof id === "string" || typeof id === "number") &&
    Array.isArray(value.data) &&
    value.data.every((text) => typeof text === "string")
  );
}

/** Number of replaced owners whose repeated appends are recognized. */
const maxReplacedOwners = 64;

/** Characters of a batch. */
const maxBatchSize = 64 * 1024 * 1024;
