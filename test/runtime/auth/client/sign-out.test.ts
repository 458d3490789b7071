import { expect, test } from "vitest";
import { createMemoryStore } from "../../../../runtime/auth/client/index.ts";
import { grantOf, idJag, signOut } from "./odd-responses.ts";
import { startRig, type Rig, type Script } from "./rig.ts";

const accessToken = expect.stringMatching(/^access-/);
const hint = "access_token";

/** Forms that the revocation endpoint receives at the sign-out of a client with this grant. */
async function revoke(grant: keyof typeof grantOf, metadata: Record<string, unknown> = {}): Promise<unknown> {
  const script: Script = {
    revoke: () => undefined,
    first: ({ path }) => (path === "/idp/token" ? { body: idJag } : undefined),
    serverMetadata: (document) => ({
      ...document,
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      ...metadata,
    }),
  };
  const rig: Rig = await startRig(script);
  const store = createMemoryStore();
  expect(await signOut(rig, { grant: grantOf[grant](rig), store })).toBe(200);
  expect(await store.get(JSON.stringify(["tokens", rig.issuer, rig.url]))).toBeUndefined();
  return rig.seen
    .filter(({ path }) => path === "/revoke")
    .map(({ form, headers }) => ({ ...Object.fromEntries(form), authorization: headers.authorization }));
}

test("a program that signs out revokes its token as the client that is registered there", async () => {
  const authorization = `Basic ${Buffer.from("robot:hush-hush").toString("base64")}`;
  expect(await revoke("credentials")).toEqual([{ token: accessToken, token_type_hint: hint, authorization }]);
});

test("a program that signs out authenticates by a method of the revocation endpoint", async () => {
  const methods = { revocation_endpoint_auth_methods_supported: ["client_secret_post"] };
  expect(await revoke("credentials", methods)).toEqual([
    { client_id: "robot", client_secret: "hush-hush", token: accessToken, token_type_hint: hint },
  ]);
});

test.each(["workload", "enterprise"] as const)(
  "the sign-out of the grant %s revokes nothing, since the token was issued for an assertion",
  async (grant) => {
    expect(await revoke(grant)).toEqual([]);
  },
);
