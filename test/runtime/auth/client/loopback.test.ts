import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import {
  createLoopbackRedirect,
  type LoopbackOptions,
  type Redirection,
} from "../../../../runtime/auth/client/index.ts";
import { AuthError } from "../../../../runtime/auth/client/errors.ts";
import { createRigClient, startRig } from "./rig.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));

const open: Redirection[] = [];

afterEach(async () => {
  for (const redirection of open.splice(0)) await redirection.close();
});

async function listen(options: LoopbackOptions = {}, preferred?: string): Promise<Redirection> {
  const redirection = await createLoopbackRedirect({ open: async () => {}, ...options }).open({ preferred });
  open.push(redirection);
  return redirection;
}

const page = new URL("https://as.example/authorize");

/** Returns the status of the listener's response to a request, with the host that a browser would have sent. */
function send(url: string, { method = "GET", host = new URL(url).host } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { host }, agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("the loopback redirect of a sign-in (AC-32)", () => {
  test("a loopback redirect has an address of this machine only, and gets the whole response", async () => {
    const shown: string[] = [];
    const redirection = await listen({ open: async (url) => void shown.push(url.href) });
    expect(redirection.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const visit = redirection.visit(page, { state: "s" });
    const redirect = `${redirection.redirectUri}?code=c&state=s&iss=https%3A%2F%2Fas.example`;
    expect(await send(redirect)).toBe(200);
    expect(await visit).toBe(redirect);
    expect(shown).toEqual([page.href]);
  });

  test("a loopback redirect ignores other requests (AC-16)", async () => {
    const redirection = await listen();
    const { redirectUri } = redirection;
    const visit = redirection.visit(page, { state: "s" });
    expect(await send(`${redirectUri}?code=stolen&state=other`)).toBe(404);
    expect(await send(`${redirectUri}?code=stolen`)).toBe(404);
    expect(await send(redirectUri.replace("/callback", "/?code=stolen&state=s"))).toBe(404);
    expect(await send(`${redirectUri}?code=stolen&state=s`, { method: "POST" })).toBe(404);
    expect(await send(`${redirectUri}?code=stolen&state=s`, { host: "evil.example" })).toBe(404);
    expect(await send(`${redirectUri}?code=c&state=s`)).toBe(200);
    expect(await visit).toContain("code=c");
  });

  test("a loopback redirect times out", async () => {
    const redirection = await listen({ timeout: 20 });
    await expect(redirection.visit(page, { state: "s" })).rejects.toMatchObject({ code: "authorization-incomplete" });
  });

  test("a loopback redirect ends with the signal of the client", async () => {
    const redirection = await listen();
    const visit = redirection.visit(page, { state: "s" });
    await redirection.close();
    await expect(visit).rejects.toMatchObject({ code: "authorization-incomplete" });
    await expect(send(`${redirection.redirectUri}?code=c&state=s`)).rejects.toThrow();
  });

  test("a loopback redirect listens at the registered port, if it is free", async () => {
    const { redirectUri } = await listen();
    const second = await listen({}, redirectUri);
    expect(second.redirectUri).not.toBe(redirectUri);
    await open.shift()?.close();
    expect((await listen({}, redirectUri)).redirectUri).toBe(redirectUri);
    expect((await listen({}, "https://elsewhere.example/callback")).redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  test("a loopback redirect has the name localhost where that is registered, and listens at both addresses of it", async () => {
    const redirection = await listen({ host: "localhost" });
    expect(redirection.redirectUri).toMatch(/^http:\/\/localhost:\d+\/callback$/);
    const visit = redirection.visit(page, { state: "s" });
    const { port, host } = new URL(redirection.redirectUri);
    expect(await send(`http://127.0.0.1:${port}/callback?code=stolen&state=s`)).toBe(404);
    if (hasIpv6) expect(await send(`http://[::1]:${port}/callback?code=stolen&state=other`, { host })).toBe(404);
    expect(await send(`http://127.0.0.1:${port}/callback?code=c&state=s`, { host })).toBe(200);
    expect(await visit).toBe(`${redirection.redirectUri}?code=c&state=s`);
    await redirection.close();
    await expect(send(`http://127.0.0.1:${port}/callback`)).rejects.toThrow();
    if (hasIpv6) await expect(send(`http://[::1]:${port}/callback`)).rejects.toThrow();
  });

  test.each(["127.0.0.1", "localhost"] as const)(
    "a loopback redirect at %s has exactly the given port, and fails while that is in use",
    async (host) => {
      const first = await listen({ host });
      const port = Number(new URL(first.redirectUri).port);
      await expect(listen({ host, port })).rejects.toMatchObject({
        code: "authorization-incomplete",
        message: `Port ${port} of the redirect is in use; end the program that uses it, or change the option port`,
      });
      await open.shift()?.close();
      expect((await listen({ host, port })).redirectUri).toBe(first.redirectUri);
    },
  );

  test.runIf(hasIpv6)("a loopback redirect at localhost does not share its port with another program", async () => {
    const other = createServer().listen(0, "::1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? Number(address?.port) : 0;
    await expect(listen({ host: "localhost", port })).rejects.toThrow("is in use");
    const preferred = `http://localhost:${port}/callback`;
    expect((await listen({ host: "localhost" }, preferred)).redirectUri).not.toBe(preferred);
  });

  test("a loopback redirect does not reuse the registered port of another host name", async () => {
    const { redirectUri } = await listen();
    await open.shift()?.close();
    const { port } = new URL(redirectUri);
    expect((await listen({ host: "localhost" }, redirectUri)).redirectUri).not.toBe(
      `http://localhost:${port}/callback`,
    );
  });

  test("a loopback redirect works without a browser when the URL is shown", async () => {
    const fail = (): Promise<void> => Promise.reject(new Error("there is no browser"));
    await expect((await listen({ open: fail })).visit(page, { state: "s" })).rejects.toThrow("no browser");
    const told: string[] = [];
    const redirection = await listen({ open: fail, onUrl: (url) => void told.push(url.href) });
    const visit = redirection.visit(page, { state: "s" });
    expect(await send(`${redirection.redirectUri}?code=c&state=s`)).toBe(200);
    await visit;
    expect(told).toEqual([page.href]);
  });

  test("a loopback redirect fails for a URL that no browser may open, also when the URL is shown", async () => {
    const reject = (code: "unsafe-url" | "authorization-incomplete") => (): Promise<void> =>
      Promise.reject(new AuthError(code, "not opened"));
    const shown = { onUrl: () => {} };
    const unsafe = await listen({ open: reject("unsafe-url"), ...shown });
    await expect(unsafe.visit(page, { state: "s" })).rejects.toMatchObject({ code: "unsafe-url" });
    const missing = await listen({ open: reject("authorization-incomplete"), ...shown });
    const visit = missing.visit(page, { state: "s" });
    expect(await send(`${missing.redirectUri}?code=c&state=s`)).toBe(200);
    expect(await visit).toContain("code=c");
  });

  test.each([
    ["the response", 60_000, { value: expect.stringContaining("code=c") }],
    ["the timeout", 20, { reason: expect.objectContaining({ code: "authorization-incomplete" }) }],
  ])("a loopback redirect ends with %s while the browser is open", async (_name, timeout, outcome) => {
    let close = (): void => {};
    const closed = new Promise<void>((_resolve, reject) => (close = () => reject(new Error("closed"))));
    const redirection = await listen({ timeout, open: () => closed });
    const visit = redirection.visit(page, { state: "s" });
    if (timeout > 20) expect(await send(`${redirection.redirectUri}?code=c&state=s`)).toBe(200);
    const [result] = await Promise.allSettled([visit]);
    expect(result).toMatchObject(outcome);
    // The later end of the browser is not an unhandled rejection.
    close();
  });

  test("a loopback redirect works with the whole flow", async () => {
    const rig = await startRig();
    const redirect = createLoopbackRedirect({
      open: async (url) => void (await fetch(url)),
    });
    expect(await createRigClient(rig, { code: { redirect } }).call()).toBe(200);
  });
});
