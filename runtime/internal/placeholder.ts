/**
 * Returns the placeholder of which a value consists, such as `${API_KEY}` or `${user_config.key}`, also behind the scheme of an `Authorization`
 * header. A host passes it on as it is when it has no value for it.
 */
export function findPlaceholder(value: string): string | undefined {
  return /^\s*(?:(?:bearer|basic|token)\s+)?(\$\{[^{}]{1,200}\})\s*$/i.exec(value)?.[1];
}

/** Returns the value of an environment variable; `undefined` if it is missing, empty, or a placeholder the host did not fill in. */
export function readVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value === "" || findPlaceholder(value) !== undefined ? undefined : value;
}
