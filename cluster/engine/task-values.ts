import { isObject } from "../../generated/support.ts";
import { errorCodes } from "../../runtime/jsonrpc/errors.ts";
import { isFinal, mergeResponses, type TaskChange, type TaskRecord } from "../../runtime/stores/task-store.ts";
import type { Health } from "./health.ts";
import type { KeyRing } from "./key-ring.ts";
import { parseLimited } from "./parse-limited.ts";

/** Dependencies of `TaskValues`. */
export interface TaskValuesOptions {
  readonly ring: KeyRing;
  readonly health: Health;
  /** Characters of one task. */
  readonly maxTaskSize: number;
}

/** Tasks as texts in the store of an engine. Ids and principals are always encrypted, because they are as good as passwords. */
export class TaskValues {
  readonly #options: TaskValuesOptions;
  /** Characters of a stored text; encryption makes it larger. */
  readonly maxSize: number;

  constructor(options: TaskValuesOptions) {
    this.#options = options;
    this.maxSize = 1_024 + 6 * options.maxTaskSize;
  }

  /** Returns the text of a task, which can only be read in its place. */
  seal(place: string, record: TaskRecord): string {
    const { ring } = this.#options;
    const { id, owner, principal, retry, ...content } = record;
    const { identity: caller, ...rest } = retry ?? {};
    const identity = ring.encrypt(place, JSON.stringify({ id, owner, principal, caller }));
    return ring.seal(place, JSON.stringify({ ...content, ...(retry && { retry: rest }), identity }));
  }

  /** Returns the task of a text; `undefined` when the text is too large or does not verify. */
  open(place: string, text: string): TaskRecord | undefined {
    const { ring, health } = this.#options;
    const clear = text.length > this.maxSize ? undefined : ring.open(place, text);
    const parsed = clear === undefined ? undefined : parseLimited(clear, this.maxSize);
    // A party that can write to the store may have added members in clear text: those that are always encrypted are read from there only.
    const {
      identity,
      retry,
      id: _id,
      owner: _owner,
      principal: _principal,
      ...content
    } = isObject(parsed) ? parsed : {};
    const decrypted = typeof identity === "string" ? ring.decrypt(place, identity) : undefined;
    const known = decrypted === undefined ? undefined : parseLimited(decrypted, maxIdentitySize);
    const { caller, ...ids } = isObject(known) ? known : {};
    const record: unknown = { ...content, ...ids, ...(isObject(retry) && { retry: withCaller(retry, caller) }) };
    if (isRecord(record)) return record;
    health.countInvalid();
    return undefined;
  }

  /** Returns a task with a change of this attempt; `undefined` when it has ended, or when a later attempt runs it. */
  change(record: TaskRecord, change: TaskChange, attempt: number): TaskRecord | undefined {
    if (isFinal(record.status) || attempt < attemptOf(record)) return undefined;
    return this.#limit(record, { ...record, ...change, ...mergeResponses(record, change, attempt) });
  }

  /** Returns a task with the next attempt; `undefined` when it has ended. */
  takeOver(record: TaskRecord, node: string): TaskRecord | undefined {
    return isFinal(record.status) ? undefined : { ...record, node, attempt: attemptOf(record) + 1 };
  }

  /** Replaces an outcome by an error when it is too large. */
  #limit(before: TaskRecord, record: TaskRecord): TaskRecord {
    const { maxTaskSize } = this.#options;
    if (record.outcome === undefined || JSON.stringify(record).length <= maxTaskSize) return record;
    const error = { code: errorCodes.internalError, message: tooLarge };
    const { updatedAt } = record;
    return { ...before, updatedAt, status: "failed", statusMessage: tooLarge, outcome: { kind: "error", error } };
  }
}

/** Characters of id, owner and principal of a task. */
const maxIdentitySize = 64 * 1024;

const tooLarge = "The result is not stored; it is larger than a task may be";

/** Returns the retry of a task with the caller that was encrypted, if there was one. */
function withCaller({ identity: _identity, ...retry }: Record<string, unknown>, caller: unknown): object {
  return caller === undefined ? retry : { ...retry, identity: caller };
}

function attemptOf({ attempt = 1 }: TaskRecord): number {
  return attempt;
}

function isRecord(value: unknown): value is TaskRecord {
  return (
    isObject(value) &&
    ["id", "owner", "status", "createdAt", "updatedAt"].every((name) => typeof value[name] === "string") &&
    (value.ttl === null || typeof value.ttl === "number")
  );
}
