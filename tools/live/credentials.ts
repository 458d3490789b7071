import process from "node:process";
import { requireApiKey, type ApiKey } from "../../runtime/auth/server/api-key.ts";
import type { Guard } from "../../runtime/transport/http-server/identity.ts";
import { findPlaceholder, readVariable } from "../../runtime/internal/placeholder.ts";
import { UserError } from "../../generator/internal/user-error.ts";

/** Options for the credentials of callers. */
export interface CredentialFlags {
  /** Variable with the keys of callers, for `X-API-Key`. */
  readonly apiKeyEnv?: string;
  /** Variable with the tokens of callers, for `Authorization: Bearer`. */
  readonly bearerEnv?: string;
}

/**
 * Creates the guard that authenticates callers; `undefined` when the options name no credentials. A variable contains one value, or several
 * separated by commas or whitespace. Each value is a separate principal. Error messages never repeat a value.
 *
 * @throws {UserError} when both options are given, a variable is empty or a value is too short.
 */
export function readGuard({ apiKeyEnv, bearerEnv }: CredentialFlags): Guard | undefined {
  if (apiKeyEnv !== undefined && bearerEnv !== undefined)
    throw new UserError("--api-key-env and --bearer-env exclude each other; pass one of them.");
  if (apiKeyEnv !== undefined) return requireApiKey({ keys: readKeys("--api-key-env", apiKeyEnv) });
  if (bearerEnv === undefined) return undefined;
  return requireApiKey({ keys: readKeys("--bearer-env", bearerEnv), in: "authorization" });
}

function readKeys(option: string, variable: string): readonly ApiKey[] {
  const values = (readVariable(process.env, variable) ?? "").split(/[\s,]+/).filter((value) => value !== "");
  if (values.length === 0)
    throw new UserError(`${option}: the environment variable ${variable} is ${describeUnset(variable)}; set it first.`);
  if (values.some((value) => value.length < shortest))
    throw new UserError(
      `${option}: a value of ${variable} has fewer than ${shortest} characters; generate one with: openssl rand -base64 32`,
    );
  return values.map((key, index) => ({ key, principal: `caller ${index + 1}` }));
}

/** Describes a variable without a value of its own. */
export function describeUnset(variable: string): string {
  const placeholder = findPlaceholder(process.env[variable] ?? "");
  return placeholder === undefined ? "empty or not set" : "a placeholder that the host did not fill in";
}

/** Minimum length of a key that cannot be guessed, in characters. */
const shortest = 24;
