import { expect, test } from "vitest";
import { formatChallenges } from "../../../../runtime/auth/server/challenge.ts";
import { requireBearerToken, TokenError } from "../../../../runtime/auth/server/index.ts";
import type { RequestHead } from "../../../../runtime/transport/http-server/exchange/exchange.ts";

const texts: readonly (readonly [string, string])[] = [
  ["The token has expired", "The token has expired"],
  ["läuft – ab 😀", "l?uft ? ab ?"],
  ["a\nb\tc\u0000", "a?b?c?"],
  ['say "x" \\', "say ?x? ?"],
];

test.each(texts)("a challenge has only characters that RFC 6750 permits in the description %j", (text, shown) => {
  expect(formatChallenges([{ scheme: "Bearer", parameters: { error_description: text } }])).toBe(
    `Bearer error_description="${shown}"`,
  );
});

test.each(texts)("the body of a rejection has the message of the verification as it is: %j", async (text, shown) => {
  const guard = requireBearerToken({
    resource: "https://mcp.example.com/mcp",
    issuer: "https://issuer.example.com",
    verify: () => {
      throw new TokenError(text);
    },
  });
  const head: RequestHead = {
    method: "POST",
    path: "/mcp",
    header: (name) => (name === "authorization" ? "Bearer abc" : undefined),
    isRepeated: () => false,
    query: () => undefined,
    host: "mcp.example.com",
    certificate: () => undefined,
    address: "192.0.2.1",
  };
  const outcome = await guard.authenticate(head, { addFields: () => {} });
  expect(outcome).toMatchObject({ status: 401 });
  const { headers = {}, body } = "status" in outcome ? outcome : {};
  expect(headers["www-authenticate"]).toContain(`error_description="${shown}"`);
  expect(body).toContain(JSON.stringify(text).slice(1, -1));
});
