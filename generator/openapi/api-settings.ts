import { isPassword, type Api, type Credential } from "./operation.ts";

/** A setting of a server that calls an API. */
export interface ApiSetting {
  /** Name of its environment variable. */
  readonly name: string;
  /** Description for users; one or two sentences. */
  readonly description: string;
  readonly isSecret: boolean;
  /** True if some call fails without it. */
  readonly isNeeded: boolean;
  /** Value without the variable. */
  readonly default?: string;
  /** Pattern of valid values. */
  readonly pattern: string;
}

/** Name of the setting with the address of an API. */
export function addressVariable({ variables }: Api): string {
  return `${variables}_BASE_URL`;
}

/**
 * Returns the settings of an API: its address, and the credentials sent by its operations. A server starts without them, because it may have other
 * tools.
 */
export function settingsOf(api: Api): readonly ApiSetting[] {
  return [addressSetting(api), ...api.credentials.map(credentialSetting)];
}

function addressSetting(api: Api): ApiSetting {
  const isKnown = api.address !== undefined;
  return {
    name: addressVariable(api),
    description: "Address of the API.",
    isSecret: false,
    isNeeded: !isKnown,
    ...(isKnown && { default: api.address }),
    // Without a user name, a query and a fragment: paths are appended.
    pattern: "^https?://([^\\s#%/:<>?@[\\]\\\\^|]+|\\[[\\da-fA-F:.]+\\])(:\\d{1,5})?(/[^\\s?#]*)?$",
  };
}

function credentialSetting(credential: Credential): ApiSetting {
  const { variable: name, scheme, isOptional, place } = credential;
  const what = isPassword(credential) ? "Name and password, as name:password" : "Token";
  const readable = scheme
    .slice(0, 1_000)
    .replaceAll(/[^\w .-]+/g, " ")
    .trim()
    .slice(0, 60);
  const use = isOptional ? "The API answers without it, too." : "";
  const description = `${what}${readable && ` (security scheme ${readable})`}. ${use}`.trim();
  // Other characters cannot be sent in a header, and the error about them would contain the value.
  const pattern = place === "header" && !isPassword(credential) ? "^[ -~]+$" : "^[^\\r\\n]+$";
  return { name, description, isSecret: true, isNeeded: !isOptional, pattern };
}
