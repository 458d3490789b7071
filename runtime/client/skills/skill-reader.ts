import { isObject } from "../../../generated/support.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { checkSkillEntry, readSkillEntry } from "../../skills/entry.ts";
import { SkillError } from "../../skills/errors.ts";
import type { ParseYaml } from "../../skills/frontmatter.ts";
import { skillLimits, type SkillEntry } from "../../skills/skill.ts";
import { verifyFrontmatter } from "../../skills/verify.ts";
import { readItems, readNextCursor, type Page, type PageLimits, type PageParams } from "../lists/pages.ts";
import { SkillFiles, type FileServer, type SkillContent } from "./skill-files.ts";

/** Part of a session used to read skills. Every session of a client has it. */
export interface SkillServer extends FileServer {
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
}

/** Parser and limits for skills of a server. */
export interface SkillReaderOptions {
  readonly parseYaml: ParseYaml;
  /** True to load also skills whose files are generated when they are read. Nothing in them can be verified. Default `false`. */
  readonly dynamic?: boolean;
  /** Maximum number of files of a skill, and of bytes in all of them. Default: what every host must accept, 512 files and 16 MiB. */
  readonly limits?: { readonly files: number; readonly bytes: number };
}

/**
 * Reads the skills of one server. Skills are untrusted text: show users and models which server they come from. Ask the user before one is loaded and
 * again when its `resources` have changed. Run nothing from a skill without asking.
 *
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension#security-considerations
 */
export interface SkillReader {
  /**
   * Returns the skills in the server's list. Checks only the shape of their entries; `load` checks the rest. The server may have more skills.
   *
   * @throws {SkillError} when an entry has another shape
   */
  list(options?: RequestOptions & PageLimits): Promise<readonly SkillEntry[]>;
  /**
   * Returns one skill, listed or not, by the URI of its `SKILL.md`.
   *
   * @throws {SkillError} when the entry is invalid, or belongs to another skill
   */
  get(uri: string, options?: RequestOptions): Promise<SkillEntry>;
  /**
   * Reads the `SKILL.md` of a skill, and no other file, and checks it.
   *
   * @throws {SkillError} when the skill must not be used
   */
  load(skill: SkillEntry | string, options?: RequestOptions): Promise<LoadedSkill>;
  /**
   * Returns the current content of a folder. Folders in it have the MIME type `inode/directory`. A file is not part of a skill unless it is listed in
   * the skill's entry. Rejects immediately if the server does not offer the method.
   */
  readDirectory(uri: string, options?: RequestOptions & PageLimits): Promise<readonly object[]>;
}

/** Skill whose `SKILL.md` matches its entry. */
export interface LoadedSkill {
  readonly entry: SkillEntry;
  /** Text of `SKILL.md`, including its frontmatter. */
  readonly text: string;
  /**
   * Reads a file of the skill and checks it. A second read of a listed file comes from memory.
   *
   * @param reference - as `SKILL.md` refers to it, such as `references/FORMS.md`, or its URI
   * @throws {SkillError} when the file must not be used
   */
  read(reference: string, options?: RequestOptions): Promise<SkillContent>;
}

/**
 * Creates a reader of the skills of the server behind a session.
 *
 * @example
 * ```ts
 * import { parseYaml } from "mcp-server-runtime/adapters/yaml";
 * import { createSkillReader } from "mcp-server-runtime/skills";
 *
 * const skills = createSkillReader(client, { parseYaml });
 * const [first] = await skills.list();
 * if (first) console.log((await skills.load(first)).text);
 * ```
 */
export function createSkillReader(server: SkillServer, options: SkillReaderOptions): SkillReader {
  const send: SendSkillRequest = (method, params, request) => server.request(method, params, request);
  const get = async (uri: string, request: RequestOptions = {}): Promise<SkillEntry> => {
    const { skill } = toObject(await send("skills/get", { uri }, request));
    const entry = readSkillEntry(skill);
    if (entry.uri !== uri) throw new SkillError("entry", uri, `the server returned ${entry.uri}`);
    return checkSkillEntry(entry);
  };
  const list = async <Item>(list: ItemList<Item>, request: RequestOptions & PageLimits): Promise<readonly Item[]> => {
    const { maxPages, ...rest } = request;
    const fetch = async (page: PageParams): Promise<ResultPage> => toPage(await list.request(page, rest));
    const found: Item[] = [];
    const limits = maxPages === undefined ? {} : { maxPages };
    for await (const item of readItems(fetch, list.pick, limits)) found.push(item);
    return found;
  };
  return {
    get,
    list: (request = {}) =>
      list(
        {
          request: (page, rest) => send("skills/list", page, rest),
          pick: (page) => toItems(page.skills).map(readSkillEntry),
        },
        request,
      ),
    async load(skill, request = {}) {
      const entry = typeof skill === "string" ? await get(skill, request) : checkSkillEntry(skill);
      const { limits = skillLimits, dynamic = false, parseYaml } = options;
      checkAmount(entry, { limits, dynamic });
      const files = new SkillFiles(entry, server, limits.bytes);
      const { text } = await files.read(entry.uri, request);
      if (text === undefined) throw new SkillError("frontmatter", entry.uri, "it is not valid UTF-8");
      verifyFrontmatter(entry, text, parseYaml);
      return { entry, text, read: (reference, asked = {}) => files.read(reference, asked) };
    },
    readDirectory: (uri, request = {}) =>
      list(
        {
          request: (page, rest) => send("resources/directory/read", { uri, ...page }, rest),
          pick: (page) => toItems(page.resources).filter(isObject),
        },
        request,
      ),
  };
}

/** Params of requests about skills, by method: compared with the extension in `handlers.test-d.ts`. */
export interface SkillRequestParams {
  readonly "skills/list": PageParams;
  readonly "skills/get": { readonly uri: string };
  readonly "resources/directory/read": PageParams & { readonly uri: string };
}

type SendSkillRequest = <Method extends keyof SkillRequestParams>(
  method: Method,
  params: SkillRequestParams[Method],
  options: RequestOptions,
) => Promise<unknown>;

interface ItemList<Item> {
  readonly request: (page: PageParams, options: RequestOptions) => Promise<unknown>;
  readonly pick: (page: ResultPage) => readonly Item[];
}

interface ResultPage extends Page {
  readonly skills?: unknown;
  readonly resources?: unknown;
}

function checkAmount(
  { uri, resources }: SkillEntry,
  { limits, dynamic }: Required<Pick<SkillReaderOptions, "limits" | "dynamic">>,
): void {
  if (resources === "dynamic") {
    if (dynamic) return;
    throw new SkillError(
      "dynamic",
      uri,
      "its files are generated on request and cannot be verified; to accept them, pass the option dynamic",
    );
  }
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (resources.length <= limits.files && bytes <= limits.bytes) return;
  throw new SkillError(
    "limit",
    uri,
    `it has ${resources.length} files and ${bytes} bytes; the limit is ${limits.files} files and ${limits.bytes} bytes`,
  );
}

function toPage(result: unknown): ResultPage {
  const { skills, resources, ...rest } = toObject(result);
  return { skills, resources, ...readNextCursor(rest) };
}

function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
