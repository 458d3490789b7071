import { describe, expect, test } from "vitest";
import {
  type Profile,
  profileError,
  profileHandler,
  readRequest,
  readResult,
} from "../../../runtime/protocol/profile.ts";
import type { CallContext, RequestHandler } from "../../../runtime/protocol/session/call-context.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { StaticResult } from "../../../runtime/jsonrpc/message.ts";
import { newest } from "../../kit/revisions.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

describe("params and results of the peer", () => {
  const profile: Profile = {
    readParams: (params, method) => ({ params, method }),
    readResult: (result, method, { id }) => ({ result, method, id }),
  };
  const request = { id: 1, method: "a", params: { b: 1 } };

  test("params are read with the profile, and the rest of a request is kept", () => {
    expect(readRequest(request, profile)).toEqual({ id: 1, method: "a", params: { params: { b: 1 }, method: "a" } });
  });

  test.each<[string, Profile | undefined]>([
    ["no profile", undefined],
    ["a profile that does not read params", {}],
  ])("a request stays the same with %s", (_, given) => {
    expect(readRequest(request, given)).toBe(request);
  });

  test("a request without params stays the same", () => {
    const bare = { method: "a", params: undefined };
    expect(readRequest(bare, profile)).toBe(bare);
  });

  test("a result is read with the profile in a session", () => {
    expect(readResult(1, "a", { profile, revision: newest })).toEqual({ result: 1, method: "a", id: newest.id });
    expect(readResult(1, "a", { profile, revision: undefined })).toBe(1);
    expect(readResult(1, "a", { profile: {}, revision: newest })).toBe(1);
    expect(readResult(1, "a", { profile: undefined, revision: newest })).toBe(1);
  });
});

test("an error is converted where the profile converts errors", () => {
  const error = { code: 1, message: "no" };
  const toError: Profile["toError"] = ({ code }, method) => ({ code: code + 1, message: method });
  expect(profileError(error, "a", { toError })).toEqual({ code: 2, message: "a" });
  expect(profileError(error, "a", {})).toBe(error);
  expect(profileError(error, "a", undefined)).toBe(error);
});

describe("a handler with a profile", () => {
  const profile: Profile = {
    toResult: (result, method, { id }) => (result === "plain" ? undefined : { result, method, id }),
    toError: ({ code, data }, method) => ({ code: code - 1, message: `no ${method}`, data: { was: data } }),
  };

  async function run(handle: RequestHandler, given: Profile | undefined = profile): Promise<unknown> {
    const context = await readContext();
    return profileHandler(handle, "tools/call", given)({ a: 1 }, context);
  }

  test.each<[string, (result: unknown) => unknown]>([
    ["at once", (result) => result],
    ["later", (result) => Promise.resolve(result)],
  ])("a result that comes %s is converted, unless it never changes", async (_, give) => {
    expect(await run((params) => give(params))).toEqual({ result: { a: 1 }, method: "tools/call", id: newest.id });
    expect(await run(() => give("plain"))).toBe("plain");
    expect(await run(() => give({ a: 1 }), {})).toEqual({ a: 1 });
    const never = new StaticResult({ a: 1 });
    expect(await run(() => give(never))).toBe(never);
  });

  test.each<[string, (error: unknown) => unknown]>([
    [
      "at once",
      (error) => {
        throw error;
      },
    ],
    ["later", (error) => Promise.reject(error)],
  ])("an error that comes %s is converted", async (_, give) => {
    const known = await catchError(run(() => give(new RpcError(-32001, "secret", { data: 7 }))));
    expect(known).toMatchObject({ code: -32002, message: "no tools/call", data: { was: 7 } });
    expect(known.cause).toBeUndefined();
  });

  test("an error that is not meant for the peer is the cause of the one that is sent", async () => {
    const secret = new Error("secret");
    const sent = await catchError(run(() => Promise.reject(secret), {}));
    expect(sent).toMatchObject({ code: -32603, message: "Internal error" });
    expect(sent.cause).toBe(secret);
  });

  test("without a profile a handler stays the same", () => {
    const handle = (): object => ({});
    expect(profileHandler(handle, "tools/call", undefined)).toBe(handle);
    expect(profileHandler(handle, "tools/call", {})).not.toBe(handle);
  });
});

async function catchError(work: Promise<unknown>): Promise<Error> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof Error) return thrown;
  throw new Error("No error was thrown");
}

async function readContext(): Promise<CallContext> {
  const contexts: CallContext[] = [];
  const listTools = (_: unknown, context: CallContext): object => {
    contexts.push(context);
    return { tools: [] };
  };
  const { wire } = await serveWire({ capabilities: { tools: {} }, handlers: { listTools } }, newest.id);
  wire.post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await settle();
  const [context] = contexts;
  if (!context) throw new Error("The handler was not called");
  return context;
}
