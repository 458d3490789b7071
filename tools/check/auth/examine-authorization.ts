import type { CheckReport } from "../finding.ts";
import { createAuthClient, type AuthOptions } from "./auth-client.ts";
import { probeIssuer } from "./issuer-probes.ts";
import { probeResource } from "./resource-probes.ts";
import { probeToken } from "./token-probes.ts";

/** Maximum number of authorization servers to examine. */
const mostIssuers = 5;

/**
 * Examines the authorization of a server from outside, as a client sees it, and optionally an access token for it.
 *
 * @throws {UserError} when the name of the server has no address
 */
export async function examineAuthorization(options: AuthOptions): Promise<CheckReport> {
  const { url, token, onStep } = options;
  const client = await createAuthClient(options);
  const target = url.origin + url.pathname;
  onStep?.("authorization of the server");
  const resource = await probeResource(client);
  const results = [...resource.results];
  const keys: string[] = [];
  for (const issuer of resource.issuers.slice(0, mostIssuers)) {
    onStep?.("authorization server");
    const facts = await probeIssuer(client, issuer);
    results.push(...facts.results);
    if (facts.keys !== undefined) keys.push(facts.keys);
  }
  if (token !== undefined) {
    onStep?.("token");
    results.push(...(await probeToken(client, { ...resource, token, keys })));
  }
  const count = resource.issuers.length;
  const title = `Authorization of ${target}: ${count === 1 ? "1 authorization server" : `${count} authorization servers`}.`;
  return { target, title, server: { name: "", version: "" }, revisions: [], results };
}
