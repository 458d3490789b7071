import type { ImplementationInfo } from "../../runtime/protocol/session/session.ts";
import { isObject, type Check, type Revision } from "../../generated/support.ts";
import { findMethod } from "../../runtime/protocol/methods/method-rows.ts";
import { toMetadata } from "../../runtime/lifecycle/discover-client.ts";
import type { Exchange, Wire } from "./wires/wire.ts";

/** Outcome of a request. */
export type CallOutcome =
  | { readonly kind: "result"; readonly result: Record<string, unknown>; readonly exchange: Exchange }
  | {
      readonly kind: "error";
      readonly code: unknown;
      readonly message: string;
      readonly data: unknown;
      readonly exchange: Exchange;
    }
  | { readonly kind: "broken"; readonly problem: string; readonly exchange: Exchange }
  | {
      readonly kind: "none";
      /** Reason, as far as the client can know; empty when unknown. */
      readonly reason: string;
      readonly exchange: Exchange;
    };

/** A message of the server that does not fit the revision. */
export interface InvalidMessage {
  readonly subject: string;
  readonly problem: string;
}

/** Conversation with a server in one revision. Collects the messages that do not fit the revision. */
export class Conversation {
  readonly wire: Wire;
  readonly revision: Revision;
  readonly invalidMessages: InvalidMessage[] = [];
  /** Capabilities declared by the server in its first result. */
  capabilities: Readonly<Record<string, unknown>> = {};
  instructions = "";
  /** Everything the server declares about itself. */
  info: ImplementationInfo = { name: "", version: "" };
  #count = 0;

  constructor(wire: Wire, revision: Revision) {
    this.wire = wire;
    this.revision = revision;
  }

  get isStateless(): boolean {
    return this.revision.lifecycle === "per-request";
  }

  /** Sends a request. The result is checked against the revision unless `checks` is false. */
  async ask(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options: CheckedRequestOptions = {},
  ): Promise<CallOutcome> {
    const id = options.id ?? (this.#count += 1);
    const full = this.isStateless
      ? { ...params, _meta: { ...toMetadata(this.revision, own), ...toRecord(params._meta) } }
      : params;
    const message = { jsonrpc: "2.0", id, method, ...(Object.keys(full).length > 0 && { params: full }) };
    const headers = { ...this.#headers(method, params), ...options.headers };
    const exchange = await this.wire.exchange(message, { id, headers, signal: options.signal });
    return this.#read(exchange, { method, id, checks: options.checks ?? true });
  }

  /** Sends a notification, with the headers required by the revision. */
  notify(method: string, params?: Readonly<Record<string, unknown>>): Promise<Exchange> {
    return this.wire.exchange(
      { jsonrpc: "2.0", method, ...(params && { params }) },
      { headers: this.#headers(method, params ?? {}) },
    );
  }

  /** True if the server declares a capability, given by the path of its keys. */
  has(...path: readonly string[]): boolean {
    return hasCapability(this.capabilities, path);
  }

  /** Checks the messages of the server other than responses to this client. */
  readUnsolicited(): readonly InvalidMessage[] {
    return this.wire.unsolicited.flatMap((value) => this.#checkUnsolicited(value));
  }

  #read(
    exchange: Exchange,
    { method, id, checks }: { readonly method: string; readonly id: string | number; readonly checks: boolean },
  ): CallOutcome {
    const { response } = exchange;
    if (response === undefined) return { kind: "none", reason: exchange.reason ?? this.wire.silence, exchange };
    if (!isObject(response) || response.jsonrpc !== "2.0")
      return this.#broken(method, 'a message without "jsonrpc": "2.0"', exchange);
    if (response.id !== id && Object.hasOwn(response, "result"))
      return this.#broken(method, "a result with another id", exchange);
    if (isObject(response.error)) {
      const { code, message, data } = response.error;
      if (!Number.isInteger(code) || typeof message !== "string")
        return this.#broken(method, "an error without an integer code or without a message", exchange);
      return { kind: "error", code, message, data, exchange };
    }
    if (!isObject(response.result))
      return this.#broken(method, "a response with neither a result object nor an error", exchange);
    const issue = checks ? findMethod(this.revision.clientRequests, method)?.result(response.result) : undefined;
    if (issue)
      this.invalidMessages.push({
        subject: method,
        problem: `the result at ${issue.path || "its root"} should be ${issue.expected}`,
      });
    return { kind: "result", result: response.result, exchange };
  }

  #broken(method: string, problem: string, exchange: Exchange): CallOutcome {
    this.invalidMessages.push({ subject: method, problem });
    return { kind: "broken", problem, exchange };
  }

  #checkUnsolicited(value: unknown): InvalidMessage[] {
    if (!isObject(value) || typeof value.method !== "string") {
      return isObject(value) && isObject(value.error)
        ? []
        : [
            {
              subject: "a message",
              problem: "it is neither a request nor a notification, nor the response to a request",
            },
          ];
    }
    const { method, params = {} } = value;
    const isRequest = Object.hasOwn(value, "id");
    const table = isRequest ? this.revision.serverRequests : this.revision.serverNotifications;
    const row = findMethod<{ readonly params: Check }>(table, method);
    if (!row)
      return [
        { subject: method, problem: `this revision has no such ${isRequest ? "request" : "notification"} of a server` },
      ];
    const issue = row.params(params);
    return issue
      ? [{ subject: method, problem: `the params at ${issue.path || "their root"} should be ${issue.expected}` }]
      : [];
  }

  /** Headers required by the revision over HTTP. The wire adds the session header. */
  #headers(method: string, params: Readonly<Record<string, unknown>>): Record<string, string> {
    if (this.wire.transport !== "http" || method === "initialize") return {};
    const sources: Readonly<Record<string, unknown>> = { ...prefixed(params), revision: this.revision.id, method };
    const rules = this.revision.headers.filter(({ methods }) => methods?.includes(method) ?? true);
    return Object.fromEntries(
      rules.flatMap(({ name, source }): [string, string][] => {
        const value = Object.hasOwn(sources, source) ? sources[source] : undefined;
        return typeof value === "string" ? [[name, value]] : [];
      }),
    );
  }
}

function prefixed(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([key, value]) => [`params.${key}`, value]));
}

/** Id, headers and abort signal of a request, and the check of its result. */
export interface CheckedRequestOptions {
  readonly id?: string | number;
  /** True if the result must fit the revision. Default `true`. */
  readonly checks?: boolean;
  /** Headers in place of the ones required by the revision. An empty value leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Stops waiting for the response. */
  readonly signal?: AbortSignal;
}

/** Client info and capabilities sent by `check`. It declares no capability, so a server has nothing to call. */
export const own = { info: { name: "create-mcp-server check", version: "1.0.0" }, capabilities: {} } as const;

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** True if a server declares a capability, given by the path of its keys. */
export function hasCapability(capabilities: Readonly<Record<string, unknown>>, path: readonly string[]): boolean {
  let value: unknown = capabilities;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return value === true || isObject(value);
}
