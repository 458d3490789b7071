import { isObject } from "../../../generated/support.ts";

/** Parts of names of members whose values are always hidden, at any depth. */
const secretParts =
  /auth(?!or(?!i[sz]))|bearer|cookie|credential|passw|passphrase|passcode|pwd|secret|token|jwt|totp|csrf|xsrf|mnemonic|session|signature|verifier|nonce|requeststate|(?:api|private|access|ssh|encryption|signing|master|account).?key|connection.?string|(?:database|webhook).?url|card.?number|pin.?code|seed.?phrase/i;

/** Names of secret members, and words at their end, which are also parts of harmless names. */
const secretWords = /^(?:code|otp|pin|cvv|ssn|key|seed)$|(?:^|[_.\- ])(?:pass|dsn|pat|mfa|cvc|iban)$/i;

/*
 * These patterns read texts of any length, and repeat nothing without bound: the engine may keep a place to return to for each repetition, and several
 * megabytes exceed its stack.
 */

/** Patterns of secrets in text: bearer tokens, JSON web tokens, keys of well-known services. Tokens have at most 64 Ki characters. */
const secretTexts =
  /\b(?:bearer|basic)\s{1,100}[\w.~+/=-]{8,65536}|(?<![\w-])eyJ[\w-]{10,65536}\.[\w-]{1,65536}(?:\.[\w-]{1,65536})?|\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|AKIA)[-_A-Za-z0-9]{16,65536}/gi;

/** Beginning of a private key. What follows is hidden to the end of the text. */
const privateKey = /-----BEGIN [A-Z ]{0,100}PRIVATE KEY-----/gi;

/** User information of a URL, after its scheme. It ends at the last "@" before the path: passwords may contain one. */
const userInformation = /(?<=[a-z0-9+.-]:\/\/)[^\s/?#]{0,1000}@/gi;

const longestText = 256;

/** Characters to search for a secret, if it begins within the shown ones. */
const longestSearch = 2_048;
const mostMembers = 32;
const deepest = 6;
const hidden = "[redacted]";

/**
 * Returns a copy of a value for a log: without values that look like secrets, without URL queries, and of bounded size. This is a safety net: do not
 * pass in values unfit for a log.
 *
 * @example
 * ```ts
 * import { redact } from "mcp-server-runtime";
 *
 * redact({ user: "ada", password: "s3cret" }); // { user: "ada", password: "[redacted]" }
 * ```
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) {
    if (depth >= deepest) return `[${value.length} items]`;
    const items = value.slice(0, mostMembers).map((item) => redact(item, depth + 1));
    return value.length > mostMembers ? [...items, `[${value.length - mostMembers} more]`] : items;
  }
  return isObject(value) ? redactMembers(value, depth) : value;
}

/**
 * Returns a text without anything like a secret, shortened to a bounded length.
 *
 * @example
 * ```ts
 * import { redactText } from "mcp-server-runtime";
 *
 * redactText("GET https://example.com/?token=1"); // "GET https://example.com/?[redacted]"
 * ```
 */
export function redactText(text: string): string {
  const shown = hideSecretText(cut(text)).replace(/([a-z][a-z0-9+.-]*:[^\s?]*)\?[^\s]*/gi, `$1?${hidden}`);
  return text.length > longestText ? `${shown}... [${text.length} characters]` : shown;
}

/** Returns a text of any length without anything like a secret. Queries of URLs stay. */
export function hideSecretText(text: string): string {
  const key = text.search(privateKey);
  const shown = key < 0 ? text : text.slice(0, key) + hidden;
  return shown.replace(secretTexts, hidden).replace(userInformation, `${hidden}@`);
}

/** True for the name of a member whose value looks like a secret. */
export function isSecretName(name: string): boolean {
  return secretParts.test(name) || secretWords.test(name);
}

/** Returns a request id for logs: clients choose ids, of any length. */
export function redactId(id: string | number): string | number {
  return typeof id === "string" ? redactText(id) : id;
}

function redactMembers(value: Record<string, unknown>, depth: number): unknown {
  const entries = Object.entries(value);
  if (depth >= deepest) return `{${entries.length} members}`;
  const shown = entries
    .slice(0, mostMembers)
    .map(([name, member]) => [cut(name), isSecretName(name) ? hidden : redact(member, depth + 1)]);
  const rest = entries.length > mostMembers ? [["...", `[${entries.length - mostMembers} more]`]] : [];
  return Object.fromEntries([...shown, ...rest]);
}

/** Returns the beginning of a text. A secret across its end is cut off as a whole: a mere beginning would not be recognized. */
function cut(text: string): string {
  if (text.length <= longestText) return text;
  const searched = text.slice(0, longestSearch);
  const starts = [secretTexts, privateKey, userInformation].flatMap((pattern) =>
    [...searched.matchAll(pattern)]
      .filter(({ index, 0: found }) => index < longestText && index + found.length > longestText)
      .map(({ index }) => index),
  );
  if (starts.length === 0) return text.slice(0, longestText);
  return text.slice(0, Math.min(...starts)) + hidden;
}
