import { expect, onTestFinished, test } from "vitest";
import { fetchJson } from "../../../../runtime/auth/server/jwks.ts";
import { introspectTokens } from "../../../../runtime/auth/server/introspection.ts";
import { serveRaw } from "../../../kit/raw-server.ts";

/** Starts a server that redirects every request to `/target`. Returns its address, and the paths that were requested. */
async function startRedirects(): Promise<{ readonly url: string; readonly paths: readonly string[] }> {
  const paths: string[] = [];
  const server = await serveRaw(({ url = "" }, response) => {
    paths.push(url);
    if (url === "/target") response.end('{"active":true}');
    else response.writeHead(307, { location: "/target" }).end();
  });
  onTestFinished(() => server.close());
  return { url: `${server.origin}/start`, paths };
}

/** The `fetch` of workers, which have two of the three modes for redirects. */
const fetchOfWorkers: typeof fetch = (input, init) => {
  if (init?.redirect === "error") throw new TypeError('Invalid redirect value, must be one of "follow" or "manual"');
  return fetch(input, init);
};

test("a document of an authorization server is not read from the target of a redirect", async () => {
  const { url, paths } = await startRedirects();
  await expect(fetchJson(url, fetchOfWorkers)).rejects.toThrow("The authorization server returned HTTP 307");
  expect(paths).toEqual(["/start"]);
});

test("a token is not sent to the target of a redirect", async () => {
  const { url: endpoint, paths } = await startRedirects();
  const verify = introspectTokens({ endpoint, clientId: "a", clientSecret: "b", fetch: fetchOfWorkers });
  const trust = { resource: "https://mcp.example.org/mcp", issuers: ["https://issuer.example"] } as const;
  await expect(Promise.resolve(verify("token", trust))).rejects.toThrow("The authorization server returned HTTP 307");
  expect(paths).toEqual(["/start"]);
});
