/** Bounds on what a peer may make us keep or walk. */
export interface Limits {
  /** Bytes of one message. Default 16 MiB; 4 MiB for the body of a request to a server over HTTP. */
  readonly maxMessageBytes: number;
  /** Nesting of one message. Default 64, at most 512. */
  readonly maxDepth: number;
  /** Values in one message or batch: members of objects and items of lists, at any depth. Default 200,000. */
  readonly maxValues: number;
  // @part batches, http
  /** Messages in one batch. Default 100. */
  readonly maxBatch: number;
  /** Requests of one peer that run at once, those that listen included; more are refused. Default 1024. */
  readonly maxCalls: number;
  /** Bytes that wait for a slow reader before the connection is ended. Default 64 MiB. */
  readonly maxBufferedBytes: number;
}

/** How long to wait, in milliseconds. Every value may be `Infinity`. */
export interface Timeouts {
  // @part questions, tasks
  /** For the answer to `initialize`. Default 30 s. */
  readonly initialize: number;
  // @part questions, tasks
  /** For answers that need no work of the other side: lists, `ping`, subscriptions. Default 5 s. */
  readonly request: number;
  // @part questions, tasks
  /** For answers that the other side works for: tool calls, reads, prompts, completions. Default 60 s. */
  readonly work: number;
  // @part questions, tasks
  /** For answers that may wait for a person or another system: sampling, elicitation, task results. Default 10 min. */
  readonly wait: number;
  // @part questions, tasks
  /** For one call altogether, however much progress it reports. Default 10 min. */
  readonly total: number;
  /** For a handler of ours. Default 10 min. */
  readonly handler: number;
  // @part changes, questions
  /** For the client to confirm the handshake before requests are sent to it nevertheless. Default 5 s. */
  readonly confirmation: number;
  /** For running handlers when the connection closes in order. Default 1 s. */
  readonly drain: number;
}

/** The limits that hold when none are given. */
export const defaultLimits: Limits = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxDepth: 64,
  maxValues: 200_000,
  // @part batches, http
  maxBatch: 100,
  maxCalls: 1024,
  maxBufferedBytes: 64 * 1024 * 1024,
};

/** The timeouts that hold when none are given. */
export const defaultTimeouts: Timeouts = {
  // @part questions, tasks
  initialize: 30_000,
  // @part questions, tasks
  request: 5_000,
  // @part questions, tasks
  work: 60_000,
  // @part questions, tasks
  wait: 600_000,
  // @part questions, tasks
  total: 600_000,
  handler: 600_000,
  // @part changes, questions
  confirmation: 5_000,
  drain: 1_000,
};

/** Given limits over the defaults, within what the runtime can bear. */
export function toLimits(given: Partial<Limits> | undefined): Limits {
  if (!given) return defaultLimits;
  const limits = { ...defaultLimits, ...given };
  return { ...limits, maxDepth: Math.min(limits.maxDepth, 512) };
}

/** Given timeouts over the defaults. */
export function toTimeouts(given: Partial<Timeouts> | undefined): Timeouts {
  return given ? { ...defaultTimeouts, ...given } : defaultTimeouts;
}

/** Which of the timeouts a method has when the call names none. */
export function timeoutOf(method: string, timeouts: Timeouts): number {
  return isEndless(method) ? Infinity : timeouts[patience.get(method) ?? "request"];
}

/** How long a call of a method may take altogether when the call does not say. */
export function totalTimeoutOf(method: string, timeouts: Timeouts): number {
  return isEndless(method) ? Infinity : timeouts.total;
}

/** How long a handler of ours may take. Who waits for a task waits until it ends, and tasks have limits of their own. */
export function handlerTimeoutOf(method: string, timeouts: Timeouts): number {
  return method === "tasks/result" || isEndless(method) ? Infinity : timeouts.handler;
}

/** Whether a method may take its time, so that progress is worth asking for even when nobody listens: it extends the time-out. */
export function isPatient(method: string): boolean {
  return method !== "initialize" && patience.has(method);
}

/** Whether a request lasts until somebody ends it: no time-out applies, and closing a connection does not wait for it. */
export function isEndless(method: string): boolean {
  return method === "subscriptions/listen";
}

const patience: ReadonlyMap<string, "work" | "wait" | "initialize"> = new Map([
  ["initialize", "initialize"],
  ["tools/call", "work"],
  ["resources/read", "work"],
  ["prompts/get", "work"],
  ["completion/complete", "work"],
  ["sampling/createMessage", "wait"],
  ["elicitation/create", "wait"],
  ["tasks/result", "wait"],
]);
