import { isThenable } from "../internal/maybe-async.ts";
import { findNotJson } from "../internal/not-json.ts";
import type { SessionValues } from "../jsonrpc/channel.ts";
import { SetupError, toError } from "../jsonrpc/errors.ts";
import { describeIssues } from "../protocol/methods/schema-issue.ts";
import type { RequestSession } from "./protocol-types.ts";
import type { Schema } from "./standard-schema.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Schema of a state. It must accept `{}`, and every value it returns. */
export interface StateSchema<T> {
  readonly "~standard": Pick<Schema<T>["~standard"], "validate" | "types">;
}

/** Bound of what a session may keep. */
export interface SessionStateOptions {
  /** Maximum size of the state of one session in bytes of JSON. Default 64 KiB. */
  readonly maxBytes?: number;
}

/** State of each session. */
export interface TypedSessionState<T> {
  /** Returns a copy of the state of a session. Before the first change, it has the defaults of the schema. */
  get(session: RequestSession): Promise<T>;
  /**
   * Replaces the state of a session by what a function returns for the current one, and returns the new state. Changes of one session run one
   * after the other.
   *
   * @throws {Error} when the new state does not match the schema, is not JSON, or is longer than `maxBytes`; the state is unchanged then
   */
  update(session: RequestSession, change: (state: T) => T): Promise<T>;
}

/**
 * Creates a state for each session, in memory or, where a cluster serves the session, in its engine. It ends with the session. Requests without a
 * session have no state: at revisions with stateless requests only, its use is a compile error, and elsewhere an error of the call.
 *
 * @param name - name of the state, the same on all nodes
 * @param schema - schema whose members all have defaults, because a session begins with `{}`
 * @throws {SetupError} when the schema does not accept `{}`, or is asynchronous
 * @example
 * ```ts
 * import * as z from "zod";
 * import { createSessionState, type RequestSession } from "mcp-server-runtime";
 *
 * const cart = createSessionState("cart", z.object({ items: z.array(z.string()).default([]) }));
 * const add = async (session: RequestSession, item: string): Promise<number> => {
 *   const { items } = await cart.update(session, (state) => ({ items: [...state.items, item] }));
 *   return items.length;
 * };
 * ```
 */
export function createSessionState<T>(
  name: string,
  schema: StateSchema<T>,
  { maxBytes = 64 * 1024 }: SessionStateOptions = {},
): TypedSessionState<T> {
  checkNumbers({ maxBytes });
  const title = `The session state ${JSON.stringify(name)}`;
  const local = new WeakMap<object, string>();
  const read = (text: string | undefined): T => check(title, schema, text === undefined ? {} : JSON.parse(text));
  const write = (state: T): string => {
    const problem = findNotJson(state);
    if (problem !== undefined) throw new Error(`${title} must be JSON: ${problem}`);
    const text = JSON.stringify(state);
    const bytes = new TextEncoder().encode(text).length;
    if (bytes <= maxBytes) return text;
    throw new Error(`${title} has ${bytes} bytes of at most ${maxBytes}; store large values elsewhere`);
  };
  try {
    read(undefined);
  } catch (error) {
    throw new SetupError(`${toError(error).message}; give each member a default`, { cause: error });
  }
  return {
    async get(session) {
      const { values } = readSession(title, session);
      return read(values ? await values.get(name) : local.get(session));
    },
    async update(session, change) {
      const { values } = readSession(title, session);
      const apply = (text: string | undefined): string => write(check(title, schema, change(read(text))));
      if (values) return read(await values.update(name, apply));
      const text = apply(local.get(session));
      local.set(session, text);
      return read(text);
    },
  };
}

/**
 * Returns the part of a session needed for its state.
 *
 * @throws {Error} when the request belongs to no session
 */
function readSession(title: string, session: object): { readonly values?: SessionValues | undefined } {
  if (!("isStateless" in session) || session.isStateless !== true) return session;
  throw new Error(`${title} is not available; the request belongs to no session`);
}

function check<T>(title: string, schema: StateSchema<T>, value: unknown): T {
  const outcome = schema["~standard"].validate(value);
  if (isThenable(outcome)) throw new Error(`${title} has an asynchronous schema; use a synchronous one`);
  if (!outcome.issues) return outcome.value;
  throw new Error(`${title} does not match its schema:\n${describeIssues(outcome.issues)}`);
}
