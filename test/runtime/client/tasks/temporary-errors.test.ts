import { expect, test } from "vitest";
import { isTemporary } from "../../../../runtime/client/tasks/session-tasks.ts";
import { ClosedError, InvalidMessageError, PeerError, TimeoutError } from "../../../../runtime/jsonrpc/errors.ts";
import {
  HttpError,
  LostError,
  ResponseError,
  SessionExpiredError,
} from "../../../../runtime/transport/http-client/errors.ts";

const issue = { path: "", expected: "an object" };

test.each<[boolean, Error]>([
  [true, new LostError("lost")],
  [true, new ClosedError("closed")],
  [true, new TimeoutError("tasks/get", 1)],
  [true, new SessionExpiredError("expired")],
  [true, new HttpError("unavailable", { status: 503, body: "" })],
  [true, new HttpError("too many", { status: 429, body: "" })],
  [true, new PeerError({ code: 429, message: "too many" })],
  [true, new PeerError({ code: 503, message: "unavailable" })],
  [false, new HttpError("forbidden", { status: 403, body: "" })],
  [false, new HttpError("not found", { status: 404, body: "" })],
  [false, new PeerError({ code: -32602, message: "task not found" })],
  [false, new PeerError({ code: -32603, message: "internal error" })],
  [false, new InvalidMessageError("tasks/get", "result", issue)],
  [false, new ResponseError("no response")],
  [false, new Error("other")],
])("%s for %s", (expected, error) => {
  expect(isTemporary(error)).toBe(expected);
});
