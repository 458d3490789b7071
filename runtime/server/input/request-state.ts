import { deflate, inflate } from "../../framing/deflate.ts";
import { isObject, fail, under } from "../../../generated/support.ts";
import { invalidParams, RpcError } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { EngineError } from "../../stores/engine-error.ts";
import { readRecord, type InputRecord } from "./request-state-record.ts";
import type { ReplayStore } from "../../stores/replay-store.ts";
import type { Signer } from "../signer.ts";

/** Writes and reads request states, which clients carry from one round of a call to the next. */
export interface RequestStates {
  /** Returns the signed state. Rejects a record longer than `maxBytes`. */
  sign(scope: string, record: InputRecord): Promise<string>;
  /** Returns the record of a state. Rejects a state of another scope, an expired one, and one used before where one use is allowed. */
  verify(scope: string, state: string, principal?: string): Promise<InputRecord>;
}

/** Bounds of request states: time, size and uses. */
export interface RequestStateLimits {
  /** Milliseconds for which a state is valid. */
  readonly lifetime: number;
  /** Maximum bytes of a state before compression. */
  readonly maxBytes: number;
  /** Store of used states, where each state is valid for one use. */
  readonly replays?: ReplayStore | undefined;
}

/**
 * Creates request states: signed, bound to their scope, and valid for a limited time. Clients can read them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */
export function createRequestStates(
  signer: Signer,
  { lifetime, maxBytes, replays }: RequestStateLimits,
): RequestStates {
  // A longer text cannot be a state of this server: base64url adds a third, and the signature follows.
  const longest = Math.ceil((maxBytes * 4) / 3) + 64;
  return {
    async sign(scope, record) {
      const bytes = new TextEncoder().encode(
        JSON.stringify({ expires: Date.now() + lifetime, ...(replays && { id: crypto.randomUUID() }), ...record }),
      );
      if (bytes.length > maxBytes) throw tooLong(bytes.length, maxBytes);
      return signer.sign(toStateName(scope), await pack(bytes));
    },
    async verify(scope, state, principal) {
      const packed = state.length > longest ? undefined : await signer.verify(toStateName(scope), state);
      const bytes = packed && (await unpack(packed, maxBytes));
      const value: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
      const record = readRecord(value);
      if (!record || !isObject(value))
        throw reject("the unchanged value that this server returned for the same request");
      const isExpired = typeof value.expires !== "number" || value.expires <= Date.now();
      if (isExpired) throw reject(`one that has not expired; ${beginAgain}`);
      const isUsed = replays && !(await isFirstUse(value, replays, principal));
      if (isUsed) throw reject(`one that has not been used; ${beginAgain}`);
      return record;
    },
  };
}

/**
 * Returns the scope to which a state is bound: the request without its metadata and responses, the revision, and the principal. The order of
 * members does not matter, because not every language keeps it.
 */
export function toStateScope(request: {
  readonly revision: string;
  readonly method: string;
  readonly params: object;
  readonly principal: string | undefined;
}): string {
  const { revision, method, params, principal } = request;
  const { _meta, inputResponses, requestState, ...bound }: Record<string, unknown> = { ...params };
  return JSON.stringify([revision, method, principal ?? null, bound], (_name, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/** Adds a prefix, which separates states from other data signed with the same keys, and from later formats. */
function toStateName(scope: string): string {
  return `state 1\n${scope}`;
}

const plain = 0;
const deflated = 1;

/** Bytes of the shortest state for which compression is worthwhile. */
const worthCompressing = 1_024;

async function pack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const short = bytes.length < worthCompressing ? undefined : await deflate(bytes);
  return short && short.length < bytes.length ? mark(deflated, short) : mark(plain, bytes);
}

async function unpack(packed: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<Uint8Array | undefined> {
  const content = packed.slice(1);
  switch (packed[0]) {
    case plain:
      return content;
    case deflated:
      return inflate(content, maxBytes);
    default:
      return undefined;
  }
}

function mark(kind: number, content: Uint8Array): Uint8Array {
  const marked = new Uint8Array(content.length + 1);
  marked[0] = kind;
  marked.set(content, 1);
  return marked;
}

const beginAgain = "send the request again without requestState and inputResponses";

/** True at the first use of a state. States differ by their signed id: another encoding of the same state is not another state. */
async function isFirstUse(
  { id, expires }: Record<string, unknown>,
  replays: ReplayStore,
  principal: string | undefined,
): Promise<boolean> {
  if (typeof id !== "string" || typeof expires !== "number") return false;
  try {
    return await replays.add(id, expires, principal);
  } catch (thrown) {
    if (!(thrown instanceof EngineError)) throw thrown;
    throw new RpcError(rejectionCodes.unavailable, "The replay store cannot be reached; retry later");
  }
}

function reject(expected: string): RpcError {
  return invalidParams(under("requestState", fail(expected)));
}

function tooLong(length: number, maxBytes: number): Error {
  return new Error(
    `The requestState is too long: ${length} bytes of at most ${maxBytes}; ` +
      "store large values elsewhere and return their keys, or increase requestState.maxBytes",
  );
}
