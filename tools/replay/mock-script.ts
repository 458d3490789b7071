import { isObject, type Revision } from "../../generated/support.ts";
import { gatewayPrincipal } from "../../runtime/gateway/principal.ts";
import { RpcError, errorCodes } from "../../runtime/jsonrpc/errors.ts";
import { readMetaKeys } from "../../runtime/protocol/session/request-metadata.ts";
import { findMethod } from "../../runtime/protocol/methods/method-rows.ts";
import { safeLine } from "../../generator/internal/text.ts";
import type { Exchange, ServerMessage } from "./exchanges.ts";
import { MessageRedactor } from "./redact-message.ts";
import { findNearest, normalizeParams, toRequestKey } from "./request-key.ts";

/** Recorded exchanges, and how they were recorded. */
export interface MockScriptOptions {
  readonly exchanges: readonly Exchange[];
  /** Names of further redacted members. */
  readonly redacted: readonly string[];
  readonly revision: Revision;
}

/** Recorded exchanges by the messages of clients. All connections to the mock share it. */
export class MockScript {
  readonly revision: Revision;
  /** Key in the metadata of notifications for their subscription, where the revision has one. */
  readonly subscriptionKey: string | undefined;
  readonly #exchanges: readonly Exchange[];
  readonly #byKey: ReadonlyMap<string, readonly Exchange[]>;
  readonly #redacted: readonly string[];

  constructor({ exchanges, redacted, revision }: MockScriptOptions) {
    this.revision = revision;
    this.subscriptionKey = revision.lifecycle === "handshake" ? undefined : readMetaKeys(revision).subscription;
    this.#exchanges = exchanges;
    this.#redacted = redacted;
    const byKey = new Map<string, Exchange[]>();
    for (const exchange of exchanges) {
      const same = byKey.get(exchange.key);
      if (same) same.push(exchange);
      else byKey.set(exchange.key, [exchange]);
    }
    this.#byKey = byKey;
  }

  /** True if a client can open a connection to the mock. */
  get canOpen(): boolean {
    return [...openingMethods].some((method) => this.#findOpening(method) !== undefined);
  }

  /** Creates the position of one connection in the script. */
  createPosition(): MockPosition {
    const counts = new Map<string, number>();
    const redactor = new MessageRedactor(this.#redacted);
    let followed: string | undefined;
    return {
      find: (method, params) => {
        if (method === initialize) followed = this.#chooseConnection(params);
        const key = toRequestKey(method, redactor.redactValue(params));
        const recorded = this.#listRecorded(key, followed);
        const count = counts.get(key) ?? 0;
        counts.set(key, count + 1);
        const found = recorded[Math.min(count, recorded.length - 1)] ?? this.#findSimilar(method);
        return found && count > 0 && count >= recorded.length ? withoutChanges(found) : found;
      },
    };
  }

  /** Lists the recorded exchanges for a key: on the followed connection, and then on others. Without any there, everything. */
  #listRecorded(key: string, followed: string | undefined): readonly Exchange[] {
    const all = this.#byKey.get(key) ?? [];
    const last = all.findLastIndex(({ connection }) => connection === followed);
    return last === -1 ? all : all.filter(({ connection }, index) => connection === followed || index > last);
  }

  /** Chooses the recorded connection for a connection to follow: the client with the most similar declarations. */
  #chooseConnection(params: unknown): string | undefined {
    const openings = this.#exchanges.filter(
      ({ method, outcome }) => method === initialize && outcome.kind === "result",
    );
    const same = openings.filter((one) => isGateway(one.params) === isGateway(params));
    return findNearest(params, same.length > 0 ? same : openings)?.connection;
  }

  /** Creates the error of a request missing in the recording. It names the nearest one. */
  reject(method: string, given: unknown): RpcError {
    const params = new MessageRedactor(this.#redacted).redactValue(given);
    const candidates = this.#exchanges.filter((one) => one.kind === "request" && one.method === method);
    const nearest = findNearest(params, candidates);
    if (!nearest) {
      const methods = new Set(this.#exchanges.filter(({ kind }) => kind === "request").map((one) => one.method));
      return new RpcError(errorCodes.methodNotFound, `The recording has no request ${safeLine(method, 100)}`, {
        data: { recorded: [...methods] },
      });
    }
    const text = describeRequest(method, params);
    const near = describeRequest(method, nearest.params);
    return new RpcError(
      errorCodes.invalidParams,
      `The recording has no ${text}; the nearest recorded request is ${near}`,
      {
        data: { nearest: { method, params: normalizeParams(nearest.params) } },
      },
    );
  }

  /** Finds a recorded exchange for requests that every client sends in its own way. */
  #findSimilar(method: string): Exchange | undefined {
    if (openingMethods.has(method)) return this.#findOpening(method);
    const row = findMethod(this.revision.clientRequests, method);
    return row?.duration === "endless" ? this.#exchanges.find((one) => one.method === method) : undefined;
  }

  #findOpening(method: string): Exchange | undefined {
    return this.#exchanges.find((one) => one.method === method && one.outcome.kind === "result");
  }
}

/** Returns an exchange for repetition, without notifications of changes: a client that lists again after each change would otherwise never end. */
function withoutChanges(exchange: Exchange): Exchange {
  const isOwn = ({ to }: ServerMessage): boolean => to === "own";
  return { ...exchange, before: exchange.before.filter(isOwn), after: exchange.after.filter(isOwn) };
}

/** Position of one connection in the script. */
export interface MockPosition {
  /** Returns the next exchange for a message of the client; without one, the last again. */
  find(method: string, params: unknown): Exchange | undefined;
}

const initialize = "initialize";

/** Requests that open a connection. */
const openingMethods: ReadonlySet<string> = new Set([initialize, "server/discover"]);

/** True for the declarations of a gateway itself, which opens a connection of its own. */
function isGateway(params: unknown): boolean {
  const info = isObject(params) && isObject(params.clientInfo) ? params.clientInfo : {};
  return info.name === gatewayPrincipal.info.name;
}

function describeRequest(method: string, params: unknown): string {
  const normalized = normalizeParams(params);
  const text = Object.keys(normalized).length === 0 ? method : `${method} ${JSON.stringify(normalized)}`;
  return safeLine(text, 300);
}

/** Returns params with another progress token or subscription, in place of the recorded one. */
export function withReference(
  params: unknown,
  {
    progressToken,
    subscription,
  }: { readonly progressToken?: unknown; readonly subscription?: readonly [string, unknown] },
): unknown {
  const given = isObject(params) ? params : {};
  if (progressToken !== undefined) return { ...given, progressToken };
  if (!subscription) return params;
  const [key, id] = subscription;
  return { ...given, _meta: { ...(isObject(given._meta) ? given._meta : {}), [key]: id } };
}
