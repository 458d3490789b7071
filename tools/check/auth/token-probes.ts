import { isObject } from "../../../generated/support.ts";
import type { CheckResult } from "../finding.ts";
import { toResult, type Observation } from "../probes/probe.ts";
import { textOf } from "../server-text.ts";
import { findAuthChallenge, readScopes, type AuthClient } from "./auth-client.ts";
import type { ResourceFacts } from "./resource-probes.ts";
import { authRules } from "./rules.ts";

/** Facts to compare a token with. */
export interface TokenContext extends Pick<ResourceFacts, "resource" | "issuers" | "scopes"> {
  readonly token: string;
  /** URLs of the keys of the authorization servers. */
  readonly keys: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** Examines a token, and what the server does with it. No part of the token but its claims about issuer, audience, times and scopes is reported. */
export async function probeToken(client: AuthClient, context: TokenContext): Promise<readonly CheckResult[]> {
  const { token } = context;
  const [header, claims] = token.split(".", 2).map(decode);
  const accepted = toResult(authRules.tokenAccepted, [await judgeResponse(client, token)]);
  if (!header || !claims || token.split(".").length !== 3) return [accepted];
  return [
    toResult(authRules.tokenAlgorithm, await judgeSignature(client, header, context.keys)),
    toResult(authRules.tokenIssuer, [judgeIssuer(claims, context)]),
    toResult(authRules.tokenAudience, [judgeAudience(claims, context)]),
    toResult(authRules.tokenTime, judgeTimes(claims, Date.now() / 1_000)),
    toResult(authRules.tokenScopes, [judgeScopes(claims, context)]),
    accepted,
    toResult(authRules.unsigned, [await probeUnsigned(client, token)]),
  ];
}

function decode(part: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    // The token is opaque.
    return undefined;
  }
}

const asymmetric = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/;

async function judgeSignature(client: AuthClient, header: Members, keys: readonly string[]): Promise<Observation[]> {
  const { alg, kid } = header;
  if (alg === "none")
    return [
      {
        subject: "alg",
        message: "it is none: anyone can make such a token",
        fix: "let the authorization server sign tokens with RS256 or ES256",
      },
    ];
  if (typeof alg !== "string" || !asymmetric.test(alg))
    return [
      {
        subject: "alg",
        message: `it is ${textOf(alg)}, which is not asymmetric: each verifier can make such tokens`,
        fix: "set the signature algorithm of the API at the authorization server to RS256 or ES256",
      },
    ];
  const published = await fetchKeyIds(client, keys);
  if (typeof kid !== "string" || published.length === 0 || published.includes(kid)) return [];
  return [
    {
      subject: "kid",
      message: "the authorization servers publish no key with this id",
      fix: "set the option issuer (ISSUER) to the authorization server of the token",
    },
  ];
}

async function fetchKeyIds(client: AuthClient, places: readonly string[]): Promise<readonly unknown[]> {
  const found = await Promise.all(places.map((place) => client.fetchDocument(new URL(place), "keys")));
  return found.flatMap((result) => {
    const keys = result.kind === "response" ? result.response.json?.keys : undefined;
    return Array.isArray(keys) ? keys.filter(isObject).map(({ kid }) => kid) : [];
  });
}

function judgeIssuer({ iss }: Members, { issuers }: TokenContext): Observation | undefined {
  if (typeof iss === "string" && (issuers.length === 0 || issuers.includes(iss))) return undefined;
  return {
    subject: "iss",
    message: `it is ${textOf(iss)} instead of ${issuers.join(" or ")}`,
    fix: "set the option issuer (ISSUER) to exactly this value, if the token is from your authorization server",
  };
}

function judgeAudience({ aud }: Members, { resource }: TokenContext): Observation | undefined {
  if (resource === undefined) return undefined;
  if (aud === undefined)
    return {
      subject: "aud",
      severity: "warning",
      message: "the token names no audience; it is valid for other servers, too",
      fix: "let the authorization server add it, or set the option withoutAudience (AUDIENCE_SCOPES, AUDIENCE_CLIENTS)",
    };
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audiences.includes(resource)) return undefined;
  return {
    subject: "aud",
    severity: "warning",
    message: `it is ${audiences.map(textOf).join(", ")} instead of ${resource}`,
    fix: "request the token for this resource; if the authorization server has a name of its own for it, set the option audience",
  };
}

function judgeTimes({ exp, nbf }: Members, now: number): Observation[] {
  if (typeof exp !== "number")
    return [
      {
        subject: "exp",
        message: "the token does not expire",
        fix: "limit the lifetime of tokens at the authorization server",
      },
    ];
  if (exp <= now)
    return [
      {
        subject: "exp",
        message: `the token expired ${Math.ceil(now - exp)} s ago`,
        fix: "request a new token; check the clock of this machine",
      },
    ];
  if (typeof nbf !== "number" || nbf <= now + 60) return [];
  return [
    {
      subject: "nbf",
      message: `the token is valid in ${Math.ceil(nbf - now)} s only`,
      fix: "check the clocks of both machines",
    },
  ];
}

function judgeScopes({ scope, scp, roles }: Members, { scopes }: TokenContext): Observation | undefined {
  const given = [scope, scp, roles].flatMap((value) => (typeof value === "string" ? value.split(" ") : value));
  // Some authorization servers prefix scopes in requests, and not in tokens.
  const missing = scopes.filter(
    (name) => !given.some((one) => typeof one === "string" && one !== "" && (one === name || name.endsWith(`/${one}`))),
  );
  if (missing.length === 0) return undefined;
  return {
    subject: "scope",
    message: `the token lacks ${missing.join(" ")}`,
    fix: "request these scopes, or change the options scopes (SCOPES) and scopeClaims of requireBearerToken",
  };
}

async function judgeResponse(client: AuthClient, token: string): Promise<Observation | undefined> {
  const result = await client.callServer(token);
  const subject = "request with the token";
  if (result.kind === "failed")
    return { subject, message: `it gets no response: ${result.reason}`, fix: "check the server and its log" };
  const { status } = result.response;
  const challenge = findAuthChallenge(result.response);
  const described = challenge?.parameters.get("error_description") ?? challenge?.parameters.get("error") ?? "no reason";
  if (status === 401)
    return {
      subject,
      message: `it gets 401: ${described}`,
      fix: "correct the findings about the token; see onDenied in the log of the server",
    };
  if (status === 403)
    return {
      subject,
      message: `it gets 403: ${described}, ${readScopes(challenge).join(" ")}`,
      fix: "request the scopes that the challenge names, or change the option scopes (SCOPES)",
    };
  if (status >= 500)
    return {
      subject,
      message: `it gets HTTP ${status}`,
      fix: "let the server reach the keys or the introspection of the authorization server; see onError in its log",
    };
  return undefined;
}

/** Sends a copy of the token whose header says it needs no signature. */
async function probeUnsigned(client: AuthClient, token: string): Promise<Observation | undefined> {
  const [, claims = ""] = token.split(".");
  const header = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
  const result = await client.callServer(`${header}.${claims}.`);
  if (result.kind === "failed") return undefined;
  const { status } = result.response;
  // A server that limits failed attempts has not looked at this one.
  if (status === 401 || status === 429 || status >= 500) return undefined;
  return {
    subject: "request with an unsigned token",
    message: `it gets HTTP ${status} instead of 401: anyone can act as any user`,
    fix: "permit asymmetric algorithms only; set the option verify of requireBearerToken to verifyJwt()",
  };
}
