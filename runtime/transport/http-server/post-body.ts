import { decodeEncoded } from "../../framing/json.ts";
import type { FramingProblem } from "../../jsonrpc/channel.ts";
import { errorCodes, toProblemCode } from "../../jsonrpc/errors.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import { classify, responseIdOf, type Incoming, type RequestId } from "../../jsonrpc/message.ts";
import type { Body } from "./exchange/exchange.ts";
import { rejectHttp, type RejectedRequest } from "./rejection.ts";

/** Content of the body of a POST. */
export type PostBody = SingleMessage | Batched;

/** Body with one message. */
export interface SingleMessage {
  readonly kind: "single";
  readonly value: unknown;
  readonly incoming: Incoming;
}

/** Body with a JSON array, which only some revisions support. */
export interface Batched {
  readonly kind: "batch";
  readonly values: readonly unknown[];
  /** The values after their classification. */
  readonly members: readonly Incoming[];
}

/** Reads a body as a message or a batch. Rejects an incomplete body, and one which is neither. */
export function readPostBody(body: Body, limits: Limits): PostBody | RejectedRequest {
  switch (body.kind) {
    case "text":
      return parseBody(body, limits);
    case "too-large":
      return bodyTooLarge(limits);
    case "not-text":
      return rejectHttp(400, "The message is not valid UTF-8", { code: errorCodes.parseError });
    case "lost":
      return rejectHttp(400, "The body is incomplete");
    case "late":
      return rejectHttp(408, "Request timed out; the body was not received", { headers: { connection: "close" } });
    default:
      return body satisfies never;
  }
}

/** Creates the rejection of a body beyond the limit. */
export function bodyTooLarge({ maxMessageBytes }: Limits): RejectedRequest {
  return rejectHttp(413, `The message is longer than ${maxMessageBytes} bytes`, { headers: { connection: "close" } });
}

type TextBody = Extract<Body, { readonly kind: "text" }>;

/** Parses a body. Unless it is a message, it is rejected, with the id of its request if this can be read. */
function parseBody({ text, bytes }: TextBody, limits: Limits): PostBody | RejectedRequest {
  const caught: { value?: unknown; problem?: FramingProblem } = {};
  decodeEncoded({ text, bytes, start: 0, end: bytes.length }, limits, {
    message: (value) => void (caught.value = value),
    problem: (problem) => void (caught.problem = problem),
  });
  const { value, problem } = caught;
  if (problem) return readProblem(problem);
  if (Array.isArray(value)) return { kind: "batch", values: value, members: value.map(classify) };
  const incoming = classify(value);
  if (incoming.kind !== "invalid") return { kind: "single", value, incoming };
  return readResponse(incoming, incoming.reason) ?? rejectHttp(400, incoming.reason, { id: incoming.id });
}

/** True if a body is an `initialize` request, which opens a session. */
export function isInitialize(postBody: PostBody): boolean {
  return (
    postBody.kind === "single" && postBody.incoming.kind === "request" && postBody.incoming.method === "initialize"
  );
}

/** Returns the id of the request in a body with one message. */
export function idOf(postBody: PostBody): string | number | undefined {
  return postBody.kind === "single" && postBody.incoming.kind === "request" ? postBody.incoming.id : undefined;
}

function readProblem(problem: FramingProblem): PostBody | RejectedRequest {
  const { message, value } = problem;
  const incoming = value === undefined ? undefined : classify(value);
  const response = incoming && readResponse(incoming, message);
  if (response) return response;
  const id = incoming?.kind === "request" || incoming?.kind === "invalid" ? incoming.id : undefined;
  return rejectHttp(400, message, { code: toProblemCode(problem), id });
}

/**
 * Returns a malformed response as a message for its session: the call waiting for it fails. Returns `undefined` if the message is no response. The
 * rejection has no id, because the sender would take it for the response to a request of its own.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
function readResponse(incoming: Incoming, reason: string): SingleMessage | undefined {
  const response = toUnusable(incoming, reason);
  if (!response) return undefined;
  // The value may be only the first level of the message, which must not count as its result.
  return { kind: "single", value: { jsonrpc: "2.0", id: response.id, result: null }, incoming: response };
}

/** Returns a message as the malformed response to a request of the server; `undefined` if it cannot be one. */
export function toUnusable(incoming: Incoming, reason: string): Extract<Incoming, { kind: "unusable" }> | undefined {
  const id = responseIdOf(incoming);
  return id === undefined ? undefined : { kind: "unusable", id, reason };
}

/** Returns the ids of all requests in a body. */
export function idsOf(postBody: PostBody): readonly RequestId[] {
  if (postBody.kind === "single") return postBody.incoming.kind === "request" ? [postBody.incoming.id] : [];
  return postBody.members.flatMap((incoming) => (incoming.kind === "request" ? [incoming.id] : []));
}
