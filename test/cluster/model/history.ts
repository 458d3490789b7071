import type { ModelStore, StreamEvent } from "./store.ts";

/** Client's part of the history: what it has received on a stream, and whether it must have a final response by the end. */
export interface Reader {
  readonly name: string;
  readonly request: string | undefined;
  readonly stream: string | undefined;
  readonly received: ReadonlyMap<number, StreamEvent>;
  /** Events with the response to the request. */
  readonly responses: ReadonlySet<string>;
}

/** Events of a run, with the rules that they must keep. The letters are those of the guarantees. */
export class History {
  readonly violations: string[] = [];
  readonly #store: ModelStore;
  readonly #starts = new Map<string, number>();
  readonly #acknowledged: StreamEvent[] = [];

  constructor(store: ModelStore) {
    this.#store = store;
  }

  start(request: string): void {
    const starts = (this.#starts.get(request) ?? 0) + 1;
    this.#starts.set(request, starts);
    if (starts > 1) this.#add(`E5: a second handler of ${request} was started`);
  }

  acknowledge(event: StreamEvent): void {
    this.#acknowledged.push(event);
  }

  /** Checks an event that a connection gives its client. */
  receive(reader: Reader, event: StreamEvent, expected: number): void {
    const at = `${reader.name} at ${toId(event)}`;
    if (event.sequence !== expected) this.#add(`E3: ${at}: sequence ${expected} was expected`);
    const known = reader.received.get(event.sequence);
    if (known && known.data !== event.data) this.#add(`E2: ${at}: two events have one id`);
    const stored = this.#store.streams.get(event.stream)?.log.find(({ sequence }) => sequence === event.sequence);
    if (stored?.data !== event.data) this.#add(`E1: ${at}: the event was not stored before it was sent`);
  }

  lose(reader: Reader): void {
    this.#add(`E1: ${reader.name}: the store does not know an event that the client has`);
  }

  /** Checks what must hold when all is quiet, and every client has tried again. */
  finish(readers: readonly Reader[]): readonly string[] {
    for (const [stream, { log }] of this.#store.streams) this.#checkLog(stream, log);
    for (const event of this.#acknowledged) this.#checkAcknowledged(event);
    for (const reader of readers) this.#checkReader(reader);
    for (const { stream, wasLeased } of this.#store.seals)
      if (wasLeased) this.#add(`E4: ${stream} was sealed while its owner's lease held`);
    return this.violations;
  }

  #checkLog(stream: string, log: readonly StreamEvent[]): void {
    if (log.some(({ sequence }, index) => sequence !== index)) this.#add(`E1: the log of ${stream} has a hole`);
    if (new Set(log.map(({ data }) => data)).size < log.length) this.#add(`E2: ${stream} has an event twice`);
    const responses = log.filter(({ response }) => response !== undefined);
    if (responses.length > 1) this.#add(`E4: ${stream} has two final responses`);
    if (responses.length === 1 && log.at(-1)?.response === undefined)
      this.#add(`E4: ${stream} goes on after its final response`);
  }

  #checkAcknowledged(event: StreamEvent): void {
    const stored = this.#store.streams.get(event.stream)?.log[event.sequence];
    if (stored?.data !== event.data) this.#add(`E1: the acknowledged event ${toId(event)} is lost`);
  }

  #checkReader({ name, request, stream, received, responses }: Reader): void {
    if (request !== undefined && responses.size !== 1)
      this.#add(`E4: ${name} has ${responses.size} final responses to ${request}`);
    const log = this.#store.streams.get(stream ?? "")?.log ?? [];
    for (const event of log)
      if (received.get(event.sequence)?.data !== event.data) this.#add(`E1: ${name} has not received ${toId(event)}`);
  }

  #add(violation: string): void {
    this.violations.push(violation);
  }
}

function toId({ stream, sequence }: StreamEvent): string {
  return `${stream}-${sequence}`;
}
