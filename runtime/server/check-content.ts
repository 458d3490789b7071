import { isObject } from "../../generated/support.ts";
import { isBase64 } from "../framing/base64.ts";
import { isUrl } from "../internal/parse-url.ts";

/**
 * Returns the problem of a content block, if any. Checks what the types cannot express: bytes are base64 with a media type, and an
 * embedded resource has a URI.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#data-types
 */
export function checkContentBlock(block: unknown): string | undefined {
  if (!isObject(block)) return undefined;
  if (block.type === "image" || block.type === "audio") return checkMediaType(block.mimeType) ?? checkBytes(block.data);
  return block.type === "resource" ? checkContents(block.resource) : undefined;
}

/** Returns the problem of the contents of a resource, if any. */
function checkContents(contents: unknown): string | undefined {
  if (!isObject(contents)) return undefined;
  const { uri, mimeType, blob } = contents;
  if (typeof uri !== "string" || !isUrl(uri)) return `${JSON.stringify(uri)} is not an absolute URI`;
  return (
    (mimeType === undefined ? undefined : checkMediaType(mimeType)) ??
    (blob === undefined ? undefined : checkBytes(blob))
  );
}

/** @see https://www.rfc-editor.org/rfc/rfc6838#section-4.2 */
function checkMediaType(value: unknown): string | undefined {
  const isType = typeof value === "string" && /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:\s*;.*)?$/.test(value);
  return isType ? undefined : `${JSON.stringify(value)} is not a media type`;
}

/** @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */
function checkBytes(value: unknown): string | undefined {
  return typeof value === "string" && isBase64(value) ? undefined : "its blob is not base64 with padding";
}
