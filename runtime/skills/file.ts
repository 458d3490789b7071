import { toBase64 } from "../framing/base64.ts";
import { fromUtf8 } from "../framing/utf8.ts";
import { toDigest } from "./digest.ts";
import type { SkillFile } from "./skill.ts";

/** Creates a file of a skill and computes its digest. */
export async function createSkillFile(path: string, content: string | Uint8Array<ArrayBuffer>): Promise<SkillFile> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { path, bytes, digest: await toDigest(bytes), mimeType: toMimeType(path, bytes) };
}

/** Converts a file to the form of results: text for UTF-8, otherwise base64. The client gets exactly the same bytes. */
export function toContent(bytes: Uint8Array): { readonly text: string } | { readonly blob: string } {
  const text = fromUtf8(bytes);
  return text === undefined ? { blob: toBase64(bytes) } : { text };
}

function toMimeType(path: string, bytes: Uint8Array): string {
  const [, extension = ""] = /\.([a-z\d]+)$/i.exec(path) ?? [];
  return (
    mimeTypes.get(extension.toLowerCase()) ??
    (fromUtf8(bytes) === undefined ? "application/octet-stream" : "text/plain")
  );
}

const mimeTypes: ReadonlyMap<string, string> = new Map([
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["css", "text/css"],
  ["html", "text/html"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["py", "text/x-python"],
  ["sh", "application/x-sh"],
  ["json", "application/json"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["xml", "application/xml"],
  ["pdf", "application/pdf"],
  ["zip", "application/zip"],
  ["gif", "image/gif"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["webp", "image/webp"],
]);
