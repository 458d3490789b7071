import { isObject } from "../../../generated/support.ts";
import { fromBase64 } from "../../framing/base64.ts";
import { fromUtf8 } from "../../framing/utf8.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { isInside, toSkillRoot } from "../../skills/entry.ts";
import { SkillError } from "../../skills/errors.ts";
import type { SkillEntry, SkillResource } from "../../skills/skill.ts";
import { verifyFile } from "../../skills/verify.ts";
import { isUrl } from "../../internal/parse-url.ts";

/** Part of a session used to read the files of skills. */
export interface FileServer {
  readResource(uri: string, options?: RequestOptions & { readonly refresh?: boolean }): Promise<object>;
}

/** Content of a file of a skill. */
export interface SkillContent {
  readonly uri: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Text of the file; absent if the bytes are not valid UTF-8. */
  readonly text: string | undefined;
}

/** Reader of the files of one loaded skill. It reads only files in the entry of the loaded skill. */
export class SkillFiles {
  readonly #entry: SkillEntry;
  readonly #server: FileServer;
  readonly #listed: ReadonlyMap<string, SkillResource> | undefined;
  /** Listed URIs by their decoded forms: references may encode other characters than the server. */
  readonly #decoded: ReadonlyMap<string, string>;
  readonly #kept = new Map<string, SkillContent>();
  /** Bytes still permitted if the entry does not list the sizes of the files. */
  #room: number;

  constructor(entry: SkillEntry, server: FileServer, maxBytes: number) {
    this.#entry = entry;
    this.#server = server;
    this.#room = maxBytes;
    const { resources } = entry;
    this.#listed = resources === "dynamic" ? undefined : new Map(resources.map((file) => [file.uri, file]));
    this.#decoded = new Map([...(this.#listed?.keys() ?? [])].map((uri) => [decode(uri), uri]));
  }

  async read(reference: string, options: RequestOptions): Promise<SkillContent> {
    const uri = this.#resolve(reference);
    const kept = this.#kept.get(uri);
    if (kept) return kept;
    const resource = this.#find(uri);
    // A cached read may be older than the entry.
    const bytes = toBytes(uri, await this.#server.readResource(uri, { ...options, refresh: true }));
    const content = { uri, bytes, text: fromUtf8(bytes) };
    if (!resource) return this.#count(content);
    await verifyFile(resource, bytes);
    this.#kept.set(uri, content);
    return content;
  }

  /** Resolves a reference relative to the folder of the skill, as between files. */
  #resolve(reference: string): string {
    if (this.#listed?.has(reference)) return reference;
    const { uri } = this.#entry;
    if (!isUrl(reference, uri)) throw new SkillError("unlisted", uri, `${JSON.stringify(reference)} is not a file`);
    const resolved = new URL(reference, uri);
    resolved.hash = "";
    const { href } = resolved;
    return this.#listed?.has(href) ? href : (this.#decoded.get(decode(href)) ?? href);
  }

  #find(uri: string): SkillResource | undefined {
    const found = this.#listed?.get(uri);
    const isMissing = this.#listed ? !found : !isInside(toSkillRoot(this.#entry.uri), uri);
    if (isMissing) throw new SkillError("unlisted", uri, "the entry of the skill does not list the file");
    return found;
  }

  #count(content: SkillContent): SkillContent {
    this.#room -= content.bytes.length;
    if (this.#room < 0) throw new SkillError("limit", content.uri, "the skill exceeds the size limit");
    return content;
  }
}

/** Returns a URI without percent-encoding. What is not valid stays, such as the percent sign of `100%.md`. */
function decode(uri: string): string {
  return uri.replace(/(?:%[\da-f]{2}){1,8192}/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

function toBytes(uri: string, result: object): Uint8Array<ArrayBuffer> {
  const contents: unknown = Reflect.get(result, "contents");
  const found: unknown = Array.isArray(contents)
    ? contents.find((part) => isObject(part) && part.uri === uri)
    : undefined;
  const { text, blob } = isObject(found) ? found : {};
  const bytes = typeof blob === "string" ? fromBase64(blob) : undefined;
  if (bytes) return bytes;
  if (typeof text === "string") return new TextEncoder().encode(text);
  throw new SkillError("digest", uri, "the server returned no content");
}
