import { afterEach, expect, test } from "vitest";
import type { ConnectOptions } from "../../../../runtime/client/connect.ts";
import { isHttpError } from "../../../../runtime/transport/http-client/errors.ts";
import type { AuthProvider, AuthRequest } from "../../../../runtime/transport/http-client/auth-provider.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { inTime } from "../../../kit/time.ts";
import { connectScript, serveScript, usual, type Script, type ScriptedServer } from "../../../kit/scripted-server.ts";

const servers: ScriptedServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await serveScript(script);
  servers.push(server);
  return server;
}

/** Responds only to requests with the key. */
const guarded: Script = ({ headers }, response) =>
  headers.authorization === "Bearer key" ? usual : response.writeHead(401, { "WWW-Authenticate": "Bearer" }).end();

/** Gets its key when it is refused, after what the test wants to happen first. */
function createLateKey(before: () => Promise<unknown>): AuthProvider {
  let key: string | undefined;
  return {
    authorize: () => (key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    async review({ status }) {
      if (status !== 401) return "accept";
      await before();
      key = "key";
      return "repeat";
    },
  };
}

const connectWith = (server: ScriptedServer, auth: AuthProvider, options: Partial<ConnectOptions> = {}) =>
  connectScript(server, { auth, ...options });

test("a provider of a fixed key is one function, and authorizes every request whatever its method (AC-27)", async () => {
  const server = await serve(guarded);
  const client = await connectWith(server, { authorize: () => ({ Authorization: "Bearer key" }) });
  await client.request("ping");
  await client.close();
  expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(["POST", "GET", "DELETE"]));
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer key"]));
  expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(["/mcp"]));
});

test("time-outs are suspended while a user signs in", async () => {
  const server = await serve(guarded);
  const clock = new ManualClock();
  const auth = createLateKey(async () => clock.advance(3_600_000));
  const client = await connectWith(server, auth, { clock });
  await expect(inTime(client.request("ping"), "The response")).resolves.toEqual({});
  await client.close();
});

test("time-outs continue after the sign-in", async () => {
  const clock = new ManualClock();
  const server = await serve((received, response) => {
    if (received.message.method !== "ping" || received.headers.authorization === undefined)
      return guarded(received, response);
    // It never responds.
    clock.advance(3_600_000);
    return undefined;
  });
  const client = await connectWith(
    server,
    {
      authorize: () => ({ Authorization: "Bearer key" }),
      async review() {
        await Promise.resolve();
        return "accept" as const;
      },
    },
    { clock },
  );
  await expect(client.request("ping")).rejects.toMatchObject({ name: "TimeoutError" });
  await client.close();
});

test("a call that is aborted does not wait for the user, whose sign-in continues for the others", async () => {
  const server = await serve(guarded);
  const controller = new AbortController();
  let finish = (): void => {};
  const auth = createLateKey(() => {
    controller.abort(new Error("changed my mind"));
    return new Promise<void>((resolve) => (finish = resolve));
  });
  await expect(connectWith(server, auth, { signal: controller.signal })).rejects.toThrow("changed my mind");
  finish();
  await new Promise((resolve) => setImmediate(resolve));
  const client = await connectWith(server, auth);
  await client.close();
});

test.each(["authorize", "review"] as const)(
  "the signal of a provider is aborted with its call, in `%s`",
  async (step) => {
    const server = await serve(guarded);
    const controller = new AbortController();
    let aborts = 0;
    const wait = ({ signal }: AuthRequest): Promise<never> => {
      signal?.addEventListener("abort", () => (aborts += 1));
      controller.abort(new Error("changed my mind"));
      return new Promise(() => {});
    };
    const auth: AuthProvider = {
      authorize: (request) => (step === "authorize" ? wait(request) : {}),
      review: (_response, request) => wait(request),
    };
    await expect(connectWith(server, auth, { signal: controller.signal })).rejects.toThrow("changed my mind");
    expect(aborts).toBe(1);
  },
);

test("an error of the provider is the error of the call", async () => {
  const server = await serve(guarded);
  const reject = (): never => {
    throw new Error("no key today");
  };
  await expect(connectWith(server, { authorize: reject })).rejects.toThrow("no key today");
  expect(server.requests).toEqual([]);
  await expect(connectWith(server, { authorize: () => ({}), review: reject })).rejects.toThrow("no key today");
});

test("a rejection that the provider accepts is an error with its challenge", async () => {
  const server = await serve(guarded);
  const error: unknown = await connectWith(server, { authorize: () => ({}) }).catch((thrown: unknown) => thrown);
  expect(isHttpError(error) && [error.status, error.wwwAuthenticate]).toEqual([401, "Bearer"]);
});

test("a provider that repeats without end is stopped", async () => {
  const server = await serve(guarded);
  const auth: AuthProvider = { authorize: () => ({}), review: () => "repeat" };
  await expect(connectWith(server, auth)).rejects.toMatchObject({ name: "HttpError", status: 401 });
  expect(server.requests).toHaveLength(10);
});

test("a provider replaces headers of the user, and none of the protocol", async () => {
  const server = await serve(() => usual);
  const auth: AuthProvider = { authorize: () => ({ Authorization: "Bearer key", "Content-Type": "text/plain" }) };
  const client = await connectScript(server, {
    auth,
    headers: () => ({ Authorization: "Basic old", "X-Tenant": "a" }),
  });
  await client.close();
  const [{ headers } = { headers: {} }] = server.requests;
  expect(headers).toMatchObject({ authorization: "Bearer key", "x-tenant": "a", "content-type": "application/json" });
});
