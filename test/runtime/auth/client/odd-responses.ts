import { expect } from "vitest";
import {
  clientCredentials,
  enterpriseManaged,
  isAuthError,
  workloadIdentity,
  type AuthErrorCode,
  type Grant,
} from "../../../../runtime/auth/client/index.ts";
import { createRigClient, startRig, taking, type Rig, type Said, type Script } from "./rig.ts";

/** What a client makes of a response: it works, or fails with a code and a message that matches. */
export type Outcome = "works" | readonly [code: AuthErrorCode, says: RegExp];

type RigOptions = NonNullable<Parameters<typeof createRigClient>[1]>;

/** Client of the servers whose response is odd, and what it does. */
export interface Reader {
  readonly options?: (rig: Rig) => RigOptions;
  /** Default: one request. */
  readonly run?: (rig: Rig, options: RigOptions) => Promise<unknown>;
}

/** Grants of clients that the servers of the rig know. */
export const grantOf = {
  credentials: ({ issuer }: Rig): Grant =>
    clientCredentials({ registered: [{ issuer, clientId: "robot", clientSecret: "hush-hush" }] }),
  workload: ({ issuer }: Rig): Grant => workloadIdentity({ issuers: [issuer], assertion: () => "signed" }),
  enterprise: ({ issuer }: Rig): Grant =>
    enterpriseManaged({
      identityProvider: { issuer: `${issuer}/idp`, tokenEndpoint: `${issuer}/idp/token`, clientId: "at-idp" },
      identity: () => ({ token: "identity" }),
      registered: [{ issuer, clientId: "at-as", clientSecret: "hush-hush" }],
    }),
} as const;

/** Response of an identity provider. */
export const idJag = {
  access_token: "vouched",
  token_type: "N_A",
  issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
};

/** A request, a rejected token, and another request, which needs a refresh. */
export async function refresh(rig: Rig, options: RigOptions): Promise<unknown> {
  const client = createRigClient(rig, options);
  expect(await client.call()).toBe(200);
  rig.valid.clear();
  return client.call();
}

/** A request, and a sign-out after it. */
export async function signOut(rig: Rig, options: RigOptions): Promise<unknown> {
  const client = createRigClient(rig, options);
  expect(await client.call()).toBe(200);
  await client.provider.signOut();
  return 200;
}

/** Place that issues tokens, with a client of it. */
export interface Issuing extends Reader {
  readonly name: string;
  /** Makes the place respond so; `undefined` for the right response, which the function may change. */
  script(said: (right: Record<string, unknown>) => Said): Script;
  /** True if a failure leads to another grant, which works. */
  readonly signsIn?: boolean;
}

/** Places that issue tokens, by the grant. */
export const issuing: readonly Issuing[] = [
  { name: "the token endpoint for a code", script: (said) => ({ token: said }) },
  {
    name: "the token endpoint for client credentials",
    script: (said) => ({ ...taking("client_secret_basic"), token: said }),
    options: (rig) => ({ grant: grantOf.credentials(rig) }),
  },
  {
    name: "the token endpoint for an assertion of a workload",
    script: (said) => ({ token: said }),
    options: (rig) => ({ grant: grantOf.workload(rig) }),
  },
  {
    name: "the token endpoint for an assertion of an enterprise",
    script: (said) => ({
      ...taking("client_secret_basic"),
      first: ({ path }) => (path === "/idp/token" ? { body: idJag } : undefined),
      token: said,
    }),
    options: (rig) => ({ grant: grantOf.enterprise(rig) }),
  },
  {
    name: "the token endpoint for a refresh",
    script: (said) => ({
      token: (body, form) => (form.has("refresh_token") ? said(body) : { body: { ...body, refresh_token: "old" } }),
    }),
    run: refresh,
    signsIn: true,
  },
];

/** Runs a client against the servers of a script. No error repeats a secret, or the text `marker` of a response. */
export async function expectOutcome(reader: Reader, script: Script, expected: Outcome): Promise<void> {
  const rig = await startRig(script);
  rig.secrets.add("hush-hush").add("own-token");
  const options = reader.options?.(rig) ?? {};
  const { run = (one, given) => createRigClient(one, given).call() } = reader;
  const found = await run(rig, options).catch((error: unknown) => error);
  if (expected === "works") return expect(found).toBe(200);
  if (!isAuthError(found)) throw new Error(`no AuthError but ${String(found)}`, { cause: found });
  expect(found).toMatchObject({ code: expected[0], message: expect.stringMatching(expected[1]) });
  // Nothing of what was not understood is repeated, but an issuer.
  if (!expected[1].source.includes("marker")) expect(found.message).not.toMatch(/marker|access-/);
}
