import { providerFacts } from "./facts.ts";
import type { Provider, ProviderCode, ProviderName, ProviderSetting, ProviderTokens } from "./provider.ts";

const text = (name: string, description: string): ProviderSetting => ({ name, description, kind: "text" });
const list = (name: string, description: string): ProviderSetting => ({ name, description, kind: "list" });

const audienceScopes = list(
  "AUDIENCE_SCOPES",
  "Scopes of this server only, with commas: tokens without aud need one of them",
);
const audienceClients = list("AUDIENCE_CLIENTS", "Accepted client IDs, with commas, for tokens without aud");

/** Options for tokens without `aud`. Without one of the settings, such tokens are rejected. */
const withoutAudience: readonly string[] = [
  "...((AUDIENCE_SCOPES ?? AUDIENCE_CLIENTS) && {",
  "  withoutAudience: {",
  "    ...(AUDIENCE_SCOPES && { scopes: AUDIENCE_SCOPES }),",
  "    ...(AUDIENCE_CLIENTS && { clients: AUDIENCE_CLIENTS }),",
  "  },",
  "}),",
];

const codes: { readonly [Name in ProviderName]: ProviderCode } = {
  auth0: {
    ...ofDomain("AUTH0_DOMAIN", "Domain of the tenant, such as example.eu.auth0.com", "/"),
    path: "/",
    options: [],
  },
  entra: {
    settings: [
      text("ENTRA_TENANT_ID", "Directory (tenant) ID"),
      text("ENTRA_CLIENT_ID", "Application (client) ID of this server, which is the audience of tokens"),
      text("ENTRA_APP_ID_URI", "Application ID URI, the prefix of requested scopes; default api://<client ID>"),
    ],
    issuer: "ENTRA_TENANT_ID && `https://login.microsoftonline.com/${ENTRA_TENANT_ID}/v2.0`",
    required: { ENTRA_TENANT_ID: "ISSUER ?? ENTRA_TENANT_ID", ENTRA_CLIENT_ID: "ENTRA_CLIENT_ID", SCOPES: "SCOPES" },
    path: "/tenant/v2.0",
    options: [
      "audience: ENTRA_CLIENT_ID ?? resource,",
      "// `scp` has the scopes of users, `roles` those of programs.",
      'scopeClaims: ["scp", "roles"],',
      "// Clients request scopes with this prefix; tokens name them without it.",
      "scopePrefix: `${ENTRA_APP_ID_URI ?? `api://${ENTRA_CLIENT_ID ?? resource}`}/`,",
    ],
  },
  keycloak: {
    settings: [
      text("KEYCLOAK_URL", "Address of Keycloak as clients use it, without a slash at the end"),
      text("KEYCLOAK_REALM", "Name of the realm"),
    ],
    issuer: "KEYCLOAK_URL && KEYCLOAK_REALM && `${KEYCLOAK_URL}/realms/${KEYCLOAK_REALM}`",
    required: { KEYCLOAK_URL: "ISSUER ?? KEYCLOAK_URL", KEYCLOAK_REALM: "ISSUER ?? KEYCLOAK_REALM" },
    path: "/realms/test",
    options: [],
  },
  clerk: {
    settings: [
      text("CLERK_DOMAIN", "Host of the Frontend API, such as verb-noun-42.clerk.accounts.dev"),
      audienceScopes,
      audienceClients,
    ],
    issuer: "CLERK_DOMAIN && `https://${CLERK_DOMAIN}`",
    required: {
      CLERK_DOMAIN: "ISSUER ?? CLERK_DOMAIN",
      "AUDIENCE_SCOPES or AUDIENCE_CLIENTS": "AUDIENCE_SCOPES ?? AUDIENCE_CLIENTS",
    },
    path: "",
    options: ["// Tokens of Clerk have no `aud`. These settings replace its check.", ...withoutAudience],
  },
  workos: {
    ...ofDomain("AUTHKIT_DOMAIN", "AuthKit domain, such as example.authkit.app"),
    path: "",
    options: [],
  },
  google: {
    settings: [
      text("GOOGLE_CLIENT_ID", "Client ID that is used for this server only, the audience of tokens"),
      text("TOKEN_INFO_URL", "Endpoint that describes tokens; default https://oauth2.googleapis.com/tokeninfo"),
    ],
    issuer: 'GOOGLE_CLIENT_ID && "https://accounts.google.com"',
    required: { GOOGLE_CLIENT_ID: "GOOGLE_CLIENT_ID" },
    path: "",
    options: ["// `aud` is the client that a token was issued to.", "audience: GOOGLE_CLIENT_ID ?? resource,"],
  },
  cognito: {
    settings: [
      text("COGNITO_USER_POOL_ID", "ID of the user pool, such as eu-west-1_Example"),
      audienceScopes,
      audienceClients,
    ],
    issuer:
      'COGNITO_USER_POOL_ID && `https://cognito-idp.${COGNITO_USER_POOL_ID.split("_")[0]}.amazonaws.com/${COGNITO_USER_POOL_ID}`',
    required: { COGNITO_USER_POOL_ID: "ISSUER ?? COGNITO_USER_POOL_ID" },
    path: "/eu-west-1_Test",
    options: [
      "// ID tokens are signed by the same issuer.",
      'requiredClaims: { token_use: "access" },',
      "// Tokens without resource binding have no `aud`. These settings replace its check.",
      ...withoutAudience,
    ],
  },
};

const discovery = "/.well-known/openid-configuration";

const tokens: { readonly [Name in ProviderName]: ProviderTokens } = {
  auth0: {
    header: 'typ: "at+jwt"',
    claims: [
      'sub: "auth0|1234",',
      "aud: [resource, `${origin}/userinfo`],",
      'azp: "client-1",',
      'scope: "openid mcp:use",',
      'permissions: ["mcp:use", "mcp:admin"],',
    ],
    metadata: discovery,
    keys: "/.well-known/jwks.json",
    environment: ['SCOPES: "mcp:use",'],
    local: {},
    insufficient: '{ scope: "openid" }',
    rejected: { "a token for the user info only": "{ aud: `${issuer.url}userinfo` }" },
  },
  entra: {
    header: 'typ: "JWT"',
    claims: [
      'ver: "2.0",',
      'tid: "tenant",',
      'aud: "00000000-1111-2222-3333-444444444444",',
      'azp: "client-1",',
      'oid: "user-1",',
      'sub: "pairwise-1",',
      'scp: "mcp.use",',
      "nbf: now,",
    ],
    metadata: `/tenant/v2.0${discovery}`,
    keys: "/tenant/discovery/v2.0/keys",
    environment: ['ENTRA_CLIENT_ID: "00000000-1111-2222-3333-444444444444",', 'SCOPES: "mcp.use",'],
    local: { ENTRA_CLIENT_ID: "00000000-1111-2222-3333-444444444444", SCOPES: "mcp.use" },
    insufficient: '{ scp: "User.Read" }',
    rejected: {
      "a token for Microsoft Graph": '{ aud: "00000003-0000-0000-c000-000000000000" }',
      "a token of another tenant": '{ iss: issuer.url.replace("/tenant/", "/other/") }',
    },
  },
  keycloak: {
    header: 'typ: "JWT"',
    claims: ["aud: resource,", 'typ: "Bearer",', 'azp: "client-1",', 'sub: "user-1",', 'scope: "openid mcp:use",'],
    metadata: "/.well-known/oauth-authorization-server/realms/test",
    keys: "/realms/test/protocol/openid-connect/certs",
    environment: ['SCOPES: "mcp:use",'],
    local: {},
    insufficient: '{ scope: "openid" }',
    rejected: {
      "a token without the audience mapper": '{ aud: "account" }',
      "a token without an audience": "{ aud: undefined }",
    },
  },
  clerk: {
    header: 'typ: "at+jwt"',
    claims: ['client_id: "client-1",', 'sub: "user_1",', 'scope: "openid mcp:use mcp:write",', "nbf: now,"],
    metadata: "/.well-known/oauth-authorization-server",
    keys: "/.well-known/jwks.json",
    environment: ['AUDIENCE_SCOPES: "mcp:use,mcp:write",', 'SCOPES: "mcp:write",'],
    local: { AUDIENCE_CLIENTS: "client-1" },
    insufficient: '{ scope: "openid mcp:use" }',
    rejected: {
      "a token without a scope of this server": '{ scope: "openid profile" }',
      "a session token": '{ azp: "https://app.example", sid: "sess_1", client_id: undefined, scope: undefined }',
    },
  },
  workos: {
    header: 'typ: "JWT"',
    claims: ["aud: resource,", 'sub: "user_1",', 'sid: "app_consent_1",', 'scope: "openid email",'],
    metadata: "/.well-known/oauth-authorization-server",
    keys: "/oauth2/jwks",
    environment: ['SCOPES: "email",'],
    local: {},
    insufficient: '{ scope: "openid" }',
    rejected: { "a token for the client itself": '{ aud: "client_1" }' },
  },
  google: {
    header: "",
    claims: [
      'aud: "client-1.apps.googleusercontent.com",',
      'azp: "client-1.apps.googleusercontent.com",',
      'sub: "1234567890",',
      'scope: "openid https://www.googleapis.com/auth/userinfo.email",',
    ],
    metadata: "",
    keys: "",
    environment: [
      'GOOGLE_CLIENT_ID: "client-1.apps.googleusercontent.com",',
      "TOKEN_INFO_URL: `${issuer.url}/tokeninfo`,",
      'SCOPES: "https://www.googleapis.com/auth/userinfo.email",',
    ],
    local: {
      GOOGLE_CLIENT_ID: "client-1.apps.googleusercontent.com",
      TOKEN_INFO_URL: "http://127.0.0.1:4000/tokeninfo",
    },
    insufficient: '{ scope: "openid" }',
    rejected: {
      "a token of another client": '{ aud: "client-2.apps.googleusercontent.com" }',
      "a token without a user": "{ sub: undefined }",
    },
  },
  cognito: {
    header: "",
    claims: [
      'token_use: "access",',
      'client_id: "client-1",',
      'sub: "user-1",',
      'username: "user-1",',
      "scope: `openid ${resource}/use`,",
      "version: 2,",
    ],
    metadata: `/eu-west-1_Test${discovery}`,
    keys: "/eu-west-1_Test/.well-known/jwks.json",
    environment: ['AUDIENCE_CLIENTS: "client-1",', "SCOPES: `${resource}/use`,"],
    local: { AUDIENCE_CLIENTS: "client-1" },
    insufficient: '{ scope: "openid" }',
    rejected: {
      "a token of another app client": '{ client_id: "client-2" }',
      "an ID token": '{ token_use: "id", aud: "client-1", client_id: undefined }',
      "a token that is bound to another resource": '{ aud: "https://other.example/mcp" }',
    },
  },
};

/** Code for an issuer built from `https://`, the domain of a setting, and `end`. */
function ofDomain(name: string, description: string, end = ""): Pick<ProviderCode, "settings" | "issuer" | "required"> {
  return {
    settings: [text(name, description)],
    issuer: `${name} && \`https://\${${name}}${end}\``,
    required: { [name]: `ISSUER ?? ${name}` },
  };
}

/** Returns the preset of an authorization server. */
export function findProvider(name: ProviderName): Provider {
  return { facts: providerFacts[name], code: codes[name], tokens: tokens[name] };
}

/** Settings of every project with a preset. */
const commonSettings: readonly ProviderSetting[] = [
  text("ISSUER", "Exact issuer in tokens, if it does not follow from the other settings"),
  text("RESOURCE", "URL that clients use for this server"),
  list("SCOPES", "Scopes that every request needs, with commas"),
];

/** Returns all settings of a project with a preset. */
export function settingsOf(name: ProviderName): readonly ProviderSetting[] {
  return [...codes[name].settings, ...commonSettings];
}

/** Environment variables for trying a server with a preset on this machine, with the issuer started by `npm run token`. */
export function localEnvironment(name: ProviderName): { readonly [name: string]: string } {
  return { ISSUER: `http://127.0.0.1:4000${codes[name].path}`, ...tokens[name].local };
}

/** Returns what a server with a preset needs to be open to other machines: a setting, or alternatives such as `A or B`. */
export function requirementsOf(name: ProviderName): readonly string[] {
  return [...Object.keys(codes[name].required), "RESOURCE"];
}

/** Returns the settings without which a server with a preset is not open to other machines. */
export function requiredSettings(name: ProviderName): readonly string[] {
  const known = new Set(settingsOf(name).map((setting) => setting.name));
  return requirementsOf(name).filter((setting) => known.has(setting));
}
