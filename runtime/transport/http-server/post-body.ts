import { decode, type DecodingLimits } from "../../framing/json.ts";
import type { Problem } from "../../jsonrpc/channel.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import { classify, type Incoming } from "../../jsonrpc/message.ts";
import { refuse, type Rejection } from "./rejection.ts";

/** What the body of a POST holds. */
export type PostBody = Single | Batched;

/** One message. */
export interface Single {
  readonly kind: "single";
  readonly value: unknown;
  readonly incoming: Incoming;
}

/** A JSON array, which only some revisions know. */
export interface Batched {
  readonly kind: "batch";
  readonly values: readonly unknown[];
}

/** Parses a body; what is not a message is refused, with the id of its request if that can be read. */
export function readPostBody(text: string, limits: DecodingLimits): PostBody | Rejection {
  const caught: { value?: unknown; problem?: Problem } = {};
  decode(text, limits, {
    message: (value) => void (caught.value = value),
    problem: (problem) => void (caught.problem = problem),
  });
  const { value, problem } = caught;
  if (problem) return refuseProblem(problem);
  if (Array.isArray(value)) return { kind: "batch", values: value };
  const incoming = classify(value);
  if (incoming.kind === "invalid") return refuse(400, incoming.reason, { id: incoming.id });
  return { kind: "single", value, incoming };
}

/** Whether a body opens a session. */
export function isInitialize(postBody: PostBody): boolean {
  return (
    postBody.kind === "single" && postBody.incoming.kind === "request" && postBody.incoming.method === "initialize"
  );
}

/** The id of the request in a body of one message. */
export function idOf(postBody: PostBody): string | number | undefined {
  return postBody.kind === "single" && postBody.incoming.kind === "request" ? postBody.incoming.id : undefined;
}

function refuseProblem({ kind, message, value }: Problem): Rejection {
  const isSyntax = kind === "syntax" || kind === "encoding";
  const incoming = value === undefined ? undefined : classify(value);
  const id = incoming?.kind === "request" || incoming?.kind === "invalid" ? incoming.id : undefined;
  return refuse(400, message, { code: isSyntax ? errorCodes.parseError : errorCodes.invalidRequest, id });
}
