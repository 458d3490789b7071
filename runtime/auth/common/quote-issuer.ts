import { isUrl } from "../../internal/parse-url.ts";

/** Returns the first issuers of a list for a message. */
export function quoteIssuers(issuers: readonly string[]): string {
  const shown = issuers.slice(0, 3).map(quoteIssuer).join(", ");
  if (issuers.length > 3) return `${shown} and ${issuers.length - 3} more`;
  return shown === "" ? "no issuer" : shown;
}

/**
 * Returns an issuer for a message as its party writes it, because a slash more makes another issuer. Other text is shortened, and so is an issuer
 * which may hold credentials.
 */
export function quoteIssuer(text: unknown): string {
  if (typeof text !== "string") return "(no text)";
  if (/^[\x21\x22\x24-\x3e\x41-\x7e]{1,200}$/.test(text)) return text;
  return isUrl(text) ? toPublicPart(new URL(text)).slice(0, 200) : "(invalid URL)";
}

function toPublicPart({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
