import { isObject } from "../../../generated/support.ts";
import { toRequestKey } from "../request-key.ts";

/**
 * Names of input requests and request states of a live server, in place of the recorded ones. A server chooses both freely, and a gateway
 * chooses them for servers of other revisions.
 */
export class InputNames {
  /** Live names by recorded names, by call. */
  readonly #names = new Map<string, ReadonlyMap<string, string>>();
  readonly #states = new Map<string, string>();

  /** Returns a live result with the recorded names, and notes its own. */
  toRecorded(
    method: string,
    params: unknown,
    { recorded, live }: { readonly recorded: unknown; readonly live: unknown },
  ): unknown {
    if (!isObject(live)) return live;
    const { requestState, inputRequests, ...rest } = live;
    if (!isObject(inputRequests)) return live;
    const call = toCall(method, params);
    if (typeof requestState === "string") this.#states.set(call, requestState);
    const given = isObject(recorded) && isObject(recorded.inputRequests) ? recorded.inputRequests : {};
    const names = pairNames(given, inputRequests);
    this.#names.set(call, names);
    const isStateKept = requestState !== undefined && isObject(recorded) && recorded.requestState !== undefined;
    return { ...rest, inputRequests: rename(inputRequests, invert(names)), ...(isStateKept && { requestState }) };
  }

  /** Returns the params of a recorded request with the names of the live server. */
  toLive(method: string, params: unknown): unknown {
    if (!isObject(params) || !isObject(params.inputResponses)) return params;
    const call = toCall(method, params);
    const inputResponses = rename(params.inputResponses, this.#names.get(call) ?? new Map());
    const requestState = this.#states.get(call);
    return { ...params, inputResponses, ...(requestState !== undefined && { requestState }) };
  }
}

/** Returns a text shared by all requests of one call, also the ones with input responses. */
function toCall(method: string, params: unknown): string {
  const { inputResponses: _responses, ...rest } = isObject(params) ? params : {};
  return toRequestKey(method, rest);
}

/** Pairs the names of input requests with the same method, in their order. */
function pairNames(recorded: Record<string, unknown>, live: Record<string, unknown>): ReadonlyMap<string, string> {
  const rest = new Set(Object.keys(live));
  const names = new Map<string, string>();
  for (const [name, input] of Object.entries(recorded)) {
    const isSame = (other: string): boolean => methodOf(live[other]) === methodOf(input);
    const found = rest.has(name) && isSame(name) ? name : [...rest].find(isSame);
    if (found === undefined) continue;
    rest.delete(found);
    names.set(name, found);
  }
  return names;
}

function methodOf(input: unknown): unknown {
  return isObject(input) ? input.method : undefined;
}

function rename(members: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [names.get(name) ?? name, member]));
}

function invert(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].map(([name, other]) => [other, name]));
}
