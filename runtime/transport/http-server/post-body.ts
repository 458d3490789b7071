import { decodeEncoded } from "../../framing/json.ts";
import type { FramingProblem } from "../../jsonrpc/channel.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import { classify, type Incoming, type RequestId } from "../../jsonrpc/message.ts";
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

/** Reads a body as a message or a batch. Rejects a body that was not received completely, or that is neither. */
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

/** Parses a body. Rejects a body that is not a message, with the id of its request if that can be read. */
function parseBody({ text, bytes }: TextBody, limits: Limits): PostBody | RejectedRequest {
  const caught: { value?: unknown; problem?: FramingProblem } = {};
  decodeEncoded({ text, bytes, start: 0, end: bytes.length }, limits, {
    message: (value) => void (caught.value = value),
    problem: (problem) => void (caught.problem = problem),
  });
  const { value, problem } = caught;
  if (problem) return rejectProblem(problem);
  if (Array.isArray(value)) return { kind: "batch", values: value, members: value.map(classify) };
  const incoming = classify(value);
  if (incoming.kind === "invalid") return rejectHttp(400, incoming.reason, { id: incoming.id });
  return { kind: "single", value, incoming };
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

function rejectProblem({ kind, message, value }: FramingProblem): RejectedRequest {
  const isSyntax = kind === "syntax" || kind === "encoding";
  const incoming = value === undefined ? undefined : classify(value);
  const id = incoming?.kind === "request" || incoming?.kind === "invalid" ? incoming.id : undefined;
  return rejectHttp(400, message, { code: isSyntax ? errorCodes.parseError : errorCodes.invalidRequest, id });
}

/** Returns the ids of all requests in a body. */
export function idsOf(postBody: PostBody): readonly RequestId[] {
  if (postBody.kind === "single") return postBody.incoming.kind === "request" ? [postBody.incoming.id] : [];
  return postBody.members.flatMap((incoming) => (incoming.kind === "request" ? [incoming.id] : []));
}
