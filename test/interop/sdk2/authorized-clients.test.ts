import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signIn } from "../../runtime/auth/server/browser.ts";
import { redirectUrl, startProtectedServer, type ProtectedServer } from "../../runtime/auth/server/protected-server.ts";

/* The official client, with its own authorization, at a server of ours and a real authorization server. */

let protectedServer: ProtectedServer;
beforeAll(async () => {
  protectedServer = await startProtectedServer({ metadata: { resource_name: "Files" } });
});
afterAll(() => protectedServer.close());

type Saved<Name extends keyof OAuthClientProvider> = Awaited<
  ReturnType<Extract<OAuthClientProvider[Name], (...args: never[]) => unknown>>
>;

/** A user with a browser, and a client that remembers what it was given. */
function createProvider(known?: string): OAuthClientProvider & { readonly visited: URL[] } {
  let client: Saved<"clientInformation"> = known === undefined ? undefined : { client_id: known };
  let tokens: Saved<"tokens">;
  let verifier = "";
  const visited: URL[] = [];
  return {
    visited,
    redirectUrl,
    clientMetadata: {
      client_name: "sdk",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    clientInformation: () => client,
    saveClientInformation: (given) => void (client = given),
    tokens: () => tokens,
    saveTokens: (given) => void (tokens = given),
    redirectToAuthorization: (url) => void visited.push(url),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
  };
}

async function connect(provider: OAuthClientProvider & { readonly visited: URL[] }) {
  const open = async () => {
    const client = new Client({ name: "sdk", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(protectedServer.resource), { authProvider: provider });
    return { client, transport, connected: client.connect(transport) };
  };
  const first = await open();
  await expect(first.connected).rejects.toBeInstanceOf(UnauthorizedError);
  await first.transport.finishAuth(await visit(provider));
  const second = await open();
  await second.connected;
  return second;
}

async function visit({ visited }: { readonly visited: URL[] }): Promise<URLSearchParams> {
  const last = visited.at(-1);
  if (!last) throw new Error("nobody asked the user");
  return (await signIn(last, redirectUrl)).searchParams;
}

describe("the official client with authorization", () => {
  test("the official client follows the challenge, registers, lets its user sign in, and calls (AR-01, AR-02, AR-03)", async () => {
    const provider = createProvider();
    const { client } = await connect(provider);
    expect(provider.visited[0]?.searchParams.get("scope")?.split(" ")).toContain("mcp");
    expect(provider.visited[0]?.searchParams.get("resource")).toBe(protectedServer.resource);
    const result = await client.callTool({ name: "who", arguments: {} });
    expect(JSON.stringify(result)).toContain(`${protectedServer.issuer} sub:alice`);
    await client.close();
  });

  test("the official client requests more scopes when a tool requires them (AR-06)", async () => {
    // This authorization server gives clients that register themselves no more than they registered for.
    const provider = createProvider("known");
    const { client, transport } = await connect(provider);
    await expect(client.callTool({ name: "write", arguments: {} })).rejects.toThrow();
    const scopes = provider.visited.at(-1)?.searchParams.get("scope")?.split(" ");
    expect(scopes).toEqual(expect.arrayContaining(["mcp", "files:write"]));
    await transport.finishAuth(await visit(provider));
    expect(JSON.stringify(await client.callTool({ name: "write", arguments: {} }))).toContain("written");
    await client.close();
  });
});
