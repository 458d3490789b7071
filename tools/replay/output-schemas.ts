import { isObject } from "../../generated/support.ts";
import type { ValueSchema } from "./fit-secret.ts";

/** Request a result belongs to. */
export interface NamedRequest {
  readonly method: string;
  readonly params: unknown;
}

/** Output schemas of the tools listed by a server, and the calls still without a result. */
export class OutputSchemas {
  readonly #schemas = new Map<string, ValueSchema>();
  readonly #calls = new Map<string, NamedRequest>();

  /** Returns the request of a message: the message itself, or the request it responds to. */
  findRequest({ id, method, params }: Record<string, unknown>, connection: string): NamedRequest | undefined {
    if (id === undefined) return undefined;
    const key = JSON.stringify([connection, id]);
    const call = this.#calls.get(key);
    if (method === undefined) this.#calls.delete(key);
    if (method === toolCall && this.#calls.size < mostEntries) this.#calls.set(key, { method: toolCall, params });
    return method === undefined ? call : undefined;
  }

  /** Reads the schemas of a result with tools. */
  learn(result: unknown): void {
    if (!isObject(result) || !Array.isArray(result.tools)) return;
    for (const tool of result.tools) {
      if (!isObject(tool) || typeof tool.name !== "string" || this.#schemas.size >= mostEntries) continue;
      const { name, outputSchema } = tool;
      if (isObject(outputSchema)) this.#schemas.set(name, { schema: outputSchema, root: outputSchema });
      else this.#schemas.delete(name);
    }
  }

  /** Returns the schema of the structured content in the result of a request. */
  find(request: NamedRequest | undefined): ValueSchema | undefined {
    const { method, params } = request ?? {};
    const name = method === toolCall && isObject(params) ? params.name : undefined;
    return typeof name === "string" ? this.#schemas.get(name) : undefined;
  }
}

const toolCall = "tools/call";

const mostEntries = 10_000;
