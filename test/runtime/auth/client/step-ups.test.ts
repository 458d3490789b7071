import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientCredentials } from "../../../../runtime/auth/client/index.ts";
import { createEndpoint } from "../../../../runtime/transport/http-client/endpoint.ts";
import {
  createRigClient,
  failureOf,
  startRig,
  taking,
  type Rig,
  type RigClient,
  type Script,
  type Said,
  type Seen,
} from "./rig.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));

afterEach(() => void vi.useRealTimers());

interface StepUpRig {
  readonly rig: Rig;
  readonly client: RigClient;
  /** Requests something that needs a scope. */
  need(scope: string): Promise<number>;
  /** Returns the scopes of all token requests. */
  requested(): readonly (string | null)[];
}

/** Starts a server whose requests need the scope in their query, and a program without a user as its client. */
async function startStepUps(
  reject: (scope: string) => Said | undefined = () => undefined,
  script: Pick<Script, "first"> = {},
): Promise<StepUpRig> {
  const scopes = new Map<string, readonly string[]>();
  const rig = await startRig({
    ...taking("client_secret_basic"),
    ...script,
    token(body, form) {
      const scope = form.get("scope") ?? "";
      scopes.set(String(body["access_token"]), scope.split(" "));
      return reject(scope);
    },
    guard(token = "", { query }, { valid }) {
      const scope = query.get("scope");
      if (scope === null || !valid.has(token) || scopes.get(token)?.includes(scope)) return undefined;
      return { status: 403, headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` } };
    },
  });
  const registered = [{ issuer: rig.issuer, clientId: "robot", clientSecret: "hush-hush" }];
  const client = createRigClient(rig, { grant: clientCredentials({ registered }) });
  return {
    rig,
    client,
    need: (scope) => client.call(`${rig.url}?scope=${scope}`),
    requested: () => rig.forms("client_credentials").map((form) => form.get("scope")),
  };
}

const pass = (milliseconds: number): void => void vi.advanceTimersByTime(milliseconds);

const names = (count: number): readonly string[] => Array.from({ length: count }, (_one, index) => `s${index}`);

describe("step-ups to more scopes", () => {
  test("step-ups are not needed again when a token has ended (AC-23)", async () => {
    const { rig, need, requested } = await startStepUps();
    for (let lifetime = 0; lifetime < 12; lifetime += 1) {
      expect(await need("write")).toBe(200);
      rig.valid.clear();
    }
    expect(requested()).toEqual([null, ...Array.from({ length: 12 }, () => "write")]);
  });

  test("step-ups are not needed again after the end of a refresh token (AC-23)", async () => {
    const isAuthorize = ({ path }: Seen): boolean => path === "/authorize";
    const rig = await startRig({
      token: (body, form) =>
        form.has("refresh_token")
          ? { status: 400, body: { error: "invalid_grant" } }
          : { body: { ...body, refresh_token: "ended" } },
      guard: (token = "", _seen, { valid }) =>
        valid.size === 1 && valid.has(token)
          ? { status: 403, headers: { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="write"' } }
          : undefined,
    });
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    rig.valid.add("another token");
    pass(3_600_000);
    expect(await client.call()).toBe(200);
    expect(rig.seen.filter(isAuthorize).map(({ query }) => query.get("scope"))).toEqual([null, "write", "write"]);
  });

  test("step-ups end where the scopes of a token are no longer granted", async () => {
    let isGranted = true;
    const invalid = { status: 400, body: { error: "invalid_scope" } };
    const { rig, client, need, requested } = await startStepUps((scope) =>
      isGranted || scope === "" ? undefined : invalid,
    );
    expect(await need("write")).toBe(200);
    isGranted = false;
    rig.valid.clear();
    expect(await failureOf(rig, client)).toMatchObject({ reason: "invalid_scope" });
    pass(30_000);
    expect(await client.call()).toBe(200);
    expect(requested()).toEqual([null, "write", "write", null]);
  });

  test("step-ups of concurrent requests for the same scope count once", async () => {
    const { need, requested } = await startStepUps();
    const statuses = await Promise.all(names(10).map(() => need("write")));
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (const scope of names(9)) expect(await need(scope)).toBe(200);
    expect(requested()).toHaveLength(11);
  });

  test("step-ups of concurrent requests for different scopes are all made", async () => {
    const { client, need, requested } = await startStepUps();
    expect(await client.call()).toBe(200);
    const statuses = await Promise.all(names(10).map((scope) => need(scope)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(requested()).toHaveLength(11);
  });

  test("step-ups are limited to ten in an hour, until a sign-in (AC-22)", async () => {
    const { client, need } = await startStepUps();
    for (const scope of names(10)) expect(await need(scope)).toBe(200);
    expect(await need("more")).toBe(403);
    vi.setSystemTime(Date.now() - 3_600_000);
    pass(3_600_000);
    for (const scope of names(10)) expect(await need(`later-${scope}`)).toBe(200);
    expect(await need("even-more")).toBe(403);
    await client.provider.signIn();
    expect(await need("even-more")).toBe(200);
  });

  test("step-ups that are not attempted after a failure do not count", async () => {
    const { client, need } = await startStepUps((scope) =>
      scope === "denied" ? { status: 400, body: { error: "invalid_scope" } } : undefined,
    );
    expect(await client.call()).toBe(200);
    for (let request = 0; request < 12; request += 1) {
      await expect(need("denied")).rejects.toMatchObject({ reason: "invalid_scope" });
    }
    pass(30_000);
    for (const scope of names(9)) expect(await need(scope)).toBe(200);
    expect(await need("more")).toBe(403);
  });

  test("step-ups are not made for a request that was cancelled while it waited for another one", async () => {
    let grant = (): void => {};
    const granted = new Promise<void>((resolve) => (grant = resolve));
    const first = async ({ form }: Seen): Promise<undefined> => {
      if (form.get("scope") === "a") await granted;
    };
    const { rig, client, need, requested } = await startStepUps(undefined, { first });
    expect(await client.call()).toBe(200);
    const other = need("a");
    await expect.poll(requested).toContain("a");
    const stop = new AbortController();
    const endpoint = createEndpoint(new URL(`${rig.url}?scope=b`), { auth: client.provider });
    const cancelled = endpoint.request({ method: "POST", headers: {}, body: "{}", signal: stop.signal });
    await expect.poll(() => rig.seen.filter(({ query }) => query.get("scope") === "b").length).toBe(1);
    await delay(50);
    stop.abort(new Error("enough"));
    await expect(cancelled).rejects.toThrow("enough");
    grant();
    expect(await other).toBe(200);
    await delay(100);
    expect(requested()).toEqual([null, "a"]);
  });

  test("step-ups to a scope that is not granted leave the tokens, also for a request with status 401", async () => {
    const isAuthorize = ({ path }: Seen): boolean => path === "/authorize";
    const rig = await startRig({
      token: (body) => ({ body: { ...body, refresh_token: "lasting" } }),
      callback(response, request) {
        if (request.get("scope") !== "evil") return;
        response.delete("code");
        response.set("error", "invalid_scope");
      },
      guard: (token = "", { query }, { valid }) =>
        query.has("scope") && valid.has(token)
          ? { status: 403, headers: { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="evil"' } }
          : undefined,
    });
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    await expect(client.call(`${rig.url}?scope=evil`)).rejects.toMatchObject({ reason: "invalid_scope" });
    rig.valid.clear();
    await expect(client.call()).rejects.toMatchObject({ reason: "invalid_scope" });
    pass(30_000);
    expect(await client.call()).toBe(200);
    expect(rig.forms("refresh_token")).toHaveLength(1);
    expect(rig.seen.filter(isAuthorize)).toHaveLength(2);
  });
});
