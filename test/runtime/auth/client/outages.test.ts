import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRigClient, failureOf, startRig, type Rig, type Said, type Script } from "./rig.ts";

/** Starts a rig whose token endpoint responds to refreshes with `said` while there is one. */
async function startRefreshing(outage: { said: Said | undefined }, script: Script = {}): Promise<Rig> {
  return startRig({
    token: (body, form) =>
      form.has("refresh_token") && outage.said ? outage.said : { body: { ...body, refresh_token: "lasting" } },
    ...script,
  });
}

const signIns = (rig: Rig): number => rig.paths("as").filter((path) => path === "/authorize").length;

describe("a temporary failure of the token endpoint", () => {
  test.each<[name: string, said: Said]>([
    ["500 without a body", { status: 500 }],
    ["503 with HTML", { status: 503, body: "<html>" }],
    ["408", { status: 408 }],
    ["425", { status: 425 }],
    ["429 with an error", { status: 429, body: { error: "slow_down" } }],
    ["temporarily_unavailable", { status: 400, body: { error: "temporarily_unavailable" } }],
    ["server_error", { status: 400, body: { error: "server_error" } }],
  ])("a refresh token is kept after %s, and used without a sign-in afterwards", async (_name, said) => {
    const outage: { said: Said | undefined } = { said };
    const rig = await startRefreshing(outage);
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    expect(await failureOf(rig, client)).toMatchObject({ code: "network", message: expect.stringContaining("HTTP") });
    outage.said = undefined;
    expect(await client.call()).toBe(200);
    expect(rig.forms("refresh_token").map((form) => form.get("refresh_token"))).toEqual(["lasting", "lasting"]);
    expect(signIns(rig)).toBe(1);
  });

  test.each<[name: string, said: Said, refreshes: number]>([
    ["removed after invalid_grant, whatever the status", { status: 500, body: { error: "invalid_grant" } }, 1],
    ["kept after a rejection that is not of the token endpoint", { status: 403, body: { error: "Forbidden" } }, 2],
  ])("a refresh token is %s", async (_name, said, refreshes) => {
    const rig = await startRefreshing(
      { said },
      { callback: (response) => void (denied && response.set("error", "denied")) },
    );
    let denied = false;
    const client = createRigClient(rig, { pauseAfterFailure: 0 });
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    denied = true;
    expect(await failureOf(rig, client)).toMatchObject({ code: "authorization-refused" });
    expect(await failureOf(rig, client)).toMatchObject({ code: "authorization-refused" });
    expect(rig.forms("refresh_token")).toHaveLength(refreshes);
  });

  test("requests to a token endpoint wait for its Retry-After, but no longer than the pause", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const outage: { said: Said | undefined } = { said: { status: 429, headers: { "retry-after": "5" } } };
    const rig = await startRefreshing(outage);
    const client = createRigClient(rig);
    const refreshes = (): number => rig.forms("refresh_token").length;
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    expect(await failureOf(rig, client)).toMatchObject({ code: "network", retryAfter: 5_000 });
    expect(await failureOf(rig, client)).toMatchObject({ code: "network", message: expect.stringContaining("429") });
    expect(refreshes()).toBe(1);
    outage.said = { status: 503, headers: { "retry-after": "3600" } };
    vi.advanceTimersByTime(5_000);
    expect(await failureOf(rig, client)).toMatchObject({ code: "network", message: expect.stringContaining("503") });
    vi.advanceTimersByTime(29_000);
    expect(await failureOf(rig, client)).toMatchObject({ code: "network" });
    expect(refreshes()).toBe(2);
    outage.said = undefined;
    // Putting the wall clock back does not prolong the pause.
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(await client.call()).toBe(200);
    expect(refreshes()).toBe(3);
  });

  test("a sign-in that fails at the token endpoint is not repeated at once", async () => {
    const rig = await startRig({ token: () => ({ status: 503 }) });
    const client = createRigClient(rig);
    expect(await failureOf(rig, client)).toMatchObject({ code: "authorization-incomplete" });
    expect(await failureOf(rig, client)).toMatchObject({ code: "authorization-incomplete" });
    expect(signIns(rig)).toBe(1);
  });
});

describe("a refresh before the expiry", () => {
  const outages: [name: string, isOut: (path: string) => boolean][] = [
    ["the token endpoint", (path) => path === "/token"],
    ["the metadata", (path) => path.startsWith("/.well-known/")],
  ];
  test.each(outages)(
    "a refresh that fails at %s does not prevent requests with a valid token",
    async (_name, isOut) => {
      vi.useFakeTimers({ toFake: ["Date", "performance"] });
      onTestFinished(() => void vi.useRealTimers());
      let isDown = false;
      const rig = await startRig({
        first: ({ path }) => (isDown && isOut(path) ? { status: 503 } : undefined),
        token: (body) => ({ body: { ...body, refresh_token: "lasting" } }),
      });
      const client = createRigClient(rig);
      const attempts = (): number => client.steps.filter(({ status }) => status === 503).length;
      expect(await client.call()).toBe(200);
      isDown = true;
      vi.advanceTimersByTime(3_595_000);
      expect(await Promise.all([client.call(), client.call()])).toEqual([200, 200]);
      expect(await client.call()).toBe(200);
      expect(attempts()).toBe(1);
      vi.advanceTimersByTime(30_000);
      expect(await client.call()).toBe(200);
      expect(attempts()).toBe(2);
      // A rejected token is renewed at once, also after a failed refresh.
      rig.valid.clear();
      expect(await failureOf(rig, client)).toMatchObject({ code: "network", message: expect.stringContaining("503") });
      expect(attempts()).toBe(3);
      isDown = false;
      expect(await client.call()).toBe(200);
      expect(signIns(rig)).toBe(1);
    },
  );

  test("a refresh that finds no metadata does not pause the renewal of a rejected token", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let hasNoMetadata = false;
    const rig = await startRefreshing(
      { said: undefined },
      {
        first: ({ path }) => (hasNoMetadata && path.startsWith("/.well-known/oauth-a") ? { status: 404 } : undefined),
      },
    );
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    hasNoMetadata = true;
    vi.advanceTimersByTime(3_595_000);
    expect(await client.call()).toBe(200);
    hasNoMetadata = false;
    rig.valid.clear();
    expect(await client.call()).toBe(200);
    expect(signIns(rig)).toBe(1);
  });
});

describe("a temporary failure of a metadata document", () => {
  test.each([408, 425, 429, 500, 503])("a metadata document is not missing after HTTP %i", async (status) => {
    let isDown = true;
    const rig = await startRig({
      first: ({ path }) => (isDown && path.startsWith("/.well-known/") ? { status } : undefined),
    });
    const client = createRigClient(rig);
    const message = expect.stringContaining(`HTTP ${status}`);
    expect(await failureOf(rig, client)).toMatchObject({ code: "network", message });
    expect(rig.seen.map(({ path }) => path)).toEqual(["/mcp", "/.well-known/oauth-protected-resource/mcp"]);
    isDown = false;
    expect(await client.call()).toBe(200);
  });

  test("a metadata document of the authorization server is not missing after HTTP 429", async () => {
    const rig = await startRig({
      first: ({ where, path }) =>
        where === "as" || path.endsWith("/oauth-authorization-server") ? { status: 429 } : undefined,
      resourceMetadata: () => undefined,
    });
    const client = createRigClient(rig);
    expect(await failureOf(rig, client)).toMatchObject({ code: "network" });
    expect([...rig.paths("mcp"), ...rig.paths("as")]).not.toContain("/register");
  });
});

test.each([429, 503])("a registration that fails with HTTP %i is repeated by the next request", async (status) => {
  let isDown = true;
  const rig = await startRig({ register: () => (isDown ? { status } : undefined) });
  const client = createRigClient(rig);
  expect(await failureOf(rig, client)).toMatchObject({
    code: "network",
    message: expect.stringContaining(`${status}`),
  });
  isDown = false;
  expect(await client.call()).toBe(200);
});
