import { isObject } from "../../generated/support.ts";
import { encode, type Sink } from "../codec/json.ts";
import type { RequestId } from "../rpc/message.ts";
import { discard } from "./http-client-body.ts";
import { Exchange, readAnsweredId, readAnswers, type AnswerOptions } from "./http-client-exchange.ts";
import type { Link } from "./http-client-link.ts";
import { checkSameServer } from "./http-client-session.ts";

/** The handshake as it was: what was sent, and what the server answered. */
export interface Opening {
  readonly id: RequestId;
  readonly body: string;
  readonly result?: unknown;
}

/**
 * Repeats the handshake after the server has forgotten the session. Fails when another server answers than the one that was agreed with:
 * what the client knows of it would be wrong.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export async function renewSession(
  link: Link,
  opening: Opening,
  options: Omit<AnswerOptions, "resume"> & { readonly exchange: Exchange },
): Promise<void> {
  const { exchange } = options;
  const { signal } = exchange;
  const expired = link.session;
  let result: unknown;
  const sink: Sink = {
    message(value) {
      if (readAnsweredId(value) !== opening.id || !isObject(value)) return options.sink.message(value);
      result = value.result;
      exchange.settle(opening.id);
    },
    problem: (problem) => options.sink.problem(problem),
  };
  try {
    const response = await link.post({ body: opening.body, isOpening: true, signal });
    await readAnswers(response, exchange, { ...options, sink, resume: (id) => link.get(id, signal) });
    checkSameServer(opening.result, result);
    await discard(await link.post({ body: initialized, signal }));
  } catch (error) {
    link.session = expired;
    throw error;
  }
}

const initialized = encode({ jsonrpc: "2.0", method: "notifications/initialized" });
