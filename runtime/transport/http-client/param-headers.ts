import { isObject, type Revision } from "../../../generated/support.ts";
import {
  encodeField,
  readParamValue,
  readParamHeaders,
  toFieldText,
  type ParamHeader,
} from "../../framing/param-headers.ts";
import type { Outgoing } from "../../jsonrpc/message.ts";

/** Headers with copies of parts of a message, for intermediaries between client and server. */
export class ParamHeaders {
  /** Parameters to send in headers, by tool name. Tools are known once they have been listed. */
  readonly #tools = new Map<string, readonly ParamHeader[]>();

  /**
   * Returns the headers of a message beyond those of every message.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
   */
  toHeaders(message: Outgoing, revision: Revision | undefined): Readonly<Record<string, string>> {
    if (!revision || !("method" in message)) return {};
    const { method, params } = message;
    const headers: Record<string, string> = {};
    for (const { name, source, methods } of revision.headers) {
      const [part, ...path] = source.split(".");
      const isMeant = methods?.includes(method) ?? true;
      const value = part === "method" ? method : part === "params" ? readParamValue(params, path) : undefined;
      if (isMeant && typeof value === "string") headers[name] = encodeField(value);
    }
    return Object.assign(headers, this.#toParameters(message, revision));
  }

  /** Reads the header annotations of tool lists among received values, and removes tools with invalid annotations. */
  learn(value: unknown, onRejected: (name: string, reason: string) => void): unknown {
    const result = isObject(value) ? value.result : undefined;
    if (!isObject(value) || !isObject(result) || !Array.isArray(result.tools)) return value;
    const tools = result.tools.filter((tool: unknown) => this.#remember(tool, onRejected));
    return tools.length === result.tools.length ? value : { ...value, result: { ...result, tools } };
  }

  #toParameters(
    { method, params }: { readonly method: string; readonly params?: unknown },
    revision: Revision,
  ): object {
    const row = Object.hasOwn(revision.clientRequests, method) ? revision.clientRequests[method] : undefined;
    if (row?.handler !== "callTool" || !isObject(params) || typeof params.name !== "string") return {};
    const fields = (this.#tools.get(params.name) ?? []).flatMap(({ header, path }) => {
      const text = toFieldText(readParamValue(params.arguments, path));
      return text === undefined ? [] : [[header, encodeField(text)]];
    });
    return Object.fromEntries(fields);
  }

  #remember(tool: unknown, onRejected: (name: string, reason: string) => void): boolean {
    if (!isObject(tool) || typeof tool.name !== "string") return true;
    try {
      this.#tools.set(tool.name, readParamHeaders(tool.inputSchema));
      return true;
    } catch (error) {
      this.#tools.delete(tool.name);
      onRejected(tool.name, error instanceof Error ? error.message : String(error));
      return false;
    }
  }
}
