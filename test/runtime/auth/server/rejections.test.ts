import { expect, test } from "vitest";
import { requireBearerToken, type VerifyToken } from "../../../../runtime/auth/server/index.ts";
import { createHead } from "./request-head.ts";

/* Rejections of requests and of options by the guard for access tokens. */

const resource = "https://mcp.example/mcp";
const issuer = "https://login.example";
const claims = { iss: issuer, aud: resource, sub: "ada", exp: Date.now() / 1_000 + 3_600 };

test.each([
  ["no credentials", undefined, 3_600, "no-credentials"],
  ["an expired token", "Bearer one", -3_600, "expired-credentials"],
  ["a token that is not valid", "Bearer other", 3_600, "invalid-credentials"],
] as const)("a rejection of %s has its reason, which profiles use", async (_name, field, seconds, reason) => {
  const exp = Date.now() / 1_000 + seconds;
  const verify: VerifyToken = (token) => (token === "one" ? { ...claims, exp } : undefined);
  const guard = requireBearerToken({ resource, issuer, verify });
  expect(await guard.authenticate(createHead("authorization", field), { addFields: () => {} })).toMatchObject({
    status: 401,
    reason,
  });
});

test.each(["openid", "profile", "email", "address", "phone", "offline_access", "aws.cognito.signin.user.admin"])(
  "the scope %s names no audience, as issuers grant it for every server",
  (scope) => {
    const create = (): unknown =>
      requireBearerToken({ resource, issuer, verify: () => claims, withoutAudience: { scopes: ["notes", scope] } });
    expect(create).toThrow(scope);
  },
);
