/** Authorization servers with a preset. */
export const providerNames = ["auth0", "entra", "keycloak", "clerk", "workos", "google", "cognito"] as const;

/** Name of an authorization server with a preset. */
export type ProviderName = (typeof providerNames)[number];

/** Environment variable of a project with a preset. */
export interface ProviderSetting {
  readonly name: string;
  readonly description: string;
  /** `list`: several texts with commas. */
  readonly kind: "text" | "list";
}

/** Support of a feature: first `yes`, `no`, `partly` or `unknown`, then what it depends on. */
export type Support = `${"yes" | "no" | "partly" | "unknown"}${"" | `; ${string}`}`;

/** Facts from the documentation of an authorization server. */
export interface ProviderFacts {
  /** Name as its vendor writes it. */
  readonly title: string;
  /** Issuer in its tokens, with settings in braces. */
  readonly issuer: string;
  /** Place of its keys; `unknown` where the documentation names none. */
  readonly keys: string;
  /** Claim in which its access tokens name their server. */
  readonly audience: string;
  /** Claims with lists of scopes, and the form of their names. */
  readonly scopes: string;
  /** Dynamic client registration (RFC 7591). */
  readonly registration: Support;
  /** Client ID metadata documents. */
  readonly clientDocuments: Support;
  /** Resource indicators (RFC 8707). */
  readonly resourceIndicators: Support;
  /** Issuer in authorization responses (RFC 9207). */
  readonly issuerInResponses: Support;
  /** Limits: one sentence for each thing you cannot do. */
  readonly limits: readonly string[];
  /** Steps to set it up, for the README of a project. */
  readonly steps: readonly string[];
  /** Pages with these facts. */
  readonly sources: readonly string[];
  /** Day on which the facts were checked. */
  readonly checked: string;
}

/** Code of a project for the tokens of an authorization server. */
export interface ProviderCode {
  /** Settings in addition to `ISSUER`, `RESOURCE` and `SCOPES`. */
  readonly settings: readonly ProviderSetting[];
  /** Expression of the issuer; `undefined` while its settings are not set. */
  readonly issuer: string;
  /** Expressions of what must be set before other machines may connect, by the name in messages. */
  readonly required: { readonly [name: string]: string };
  /** Path of the issuer of the tests. */
  readonly path: string;
  /** Options of `requireBearerToken`, one a line. */
  readonly options: readonly string[];
}

/** Tokens in the tests of a project, as the authorization server issues them. */
export interface ProviderTokens {
  /** Members of the header besides the key. */
  readonly header: string;
  /** Claims of a token of a user. The code may use `url`, `origin`, `resource` and `now`. */
  readonly claims: readonly string[];
  /** Path of the metadata with the location of the keys. */
  readonly metadata: string;
  /** Path of the keys. */
  readonly keys: string;
  /** Environment variables of the server in the tests, besides `ISSUER` and `RESOURCE`. */
  readonly environment: readonly string[];
  /** Environment variables for trying the server on this machine, besides `ISSUER`. */
  readonly local: { readonly [name: string]: string };
  /** Claims of a token without one of the scopes required for every request. */
  readonly insufficient: string;
  /** Claims of further tokens for the server to reject, by name. */
  readonly rejected: { readonly [name: string]: string };
}

/** Preset of an authorization server. */
export interface Provider {
  readonly facts: ProviderFacts;
  readonly code: ProviderCode;
  readonly tokens: ProviderTokens;
}
