import { isObject } from "../../../generated/support.ts";
import type { RequestOptions } from "../../protocol/incoming-call.ts";
import { checkSkillEntry, readSkillEntry } from "../../skills/entry.ts";
import { SkillError } from "../../skills/errors.ts";
import type { ParseYaml } from "../../skills/frontmatter.ts";
import { skillLimits, type SkillEntry } from "../../skills/skill.ts";
import { verifyFrontmatter } from "../../skills/verify.ts";
import { readItems, readNextCursor, type Page, type PageLimits, type PageParams } from "../lists/pages.ts";
import { SkillFiles, type FileServer, type SkillContent } from "./skill-files.ts";

/** The part of a session that skills are read by: every session of a client has it. */
export interface SkillServer extends FileServer {
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
}

/** How skills are read. */
export interface SkillReaderOptions {
  readonly parseYaml: ParseYaml;
  /** Load skills too whose files are made when they are read, so that nothing of them can be checked. Default `false`. */
  readonly dynamic?: boolean;
  /** Most files of a skill, and most bytes in all of them. Default: what every host must accept, 512 and 16 MiB. */
  readonly limits?: { readonly files: number; readonly bytes: number };
}

/**
 * Reads the skills of one server. They are the text of a stranger: show users and models whose they are, ask users before one is loaded and
 * again when its `resources` have changed, and run nothing of it without asking.
 *
 * @see https://modelcontextprotocol.io/seps/2640-skills-extension#security-considerations
 */
export interface SkillReader {
  /** The skills that the server lists, as it says; what is wrong with one is found when it is loaded. There may be more of them. */
  list(options?: RequestOptions & PageLimits): Promise<readonly SkillEntry[]>;
  /** One skill, listed or not, by the URI of its `SKILL.md`. */
  get(uri: string, options?: RequestOptions): Promise<SkillEntry>;
  /** Reads the `SKILL.md` of a skill, and nothing else, and checks it. Throws a `SkillError` for what must not be used. */
  load(skill: SkillEntry | string, options?: RequestOptions): Promise<LoadedSkill>;
  /**
   * What is in a folder now, folders in it with the MIME type `inode/directory`. Files that the entry of a skill does not list are no files of
   * that skill. Fails at once where the server does not offer it.
   */
  readDirectory(uri: string, options?: RequestOptions & PageLimits): Promise<readonly object[]>;
}

/** A skill whose `SKILL.md` was found to be the one that its entry describes. */
export interface LoadedSkill {
  readonly entry: SkillEntry;
  /** The text of `SKILL.md`, with what it begins with. */
  readonly text: string;
  /**
   * Reads one of its files and checks it; a second time it comes from memory. Throws a `SkillError` for what must not be used.
   *
   * @param reference - as `SKILL.md` refers to it, such as `references/FORMS.md`, or its URI
   */
  read(reference: string, options?: RequestOptions): Promise<SkillContent>;
}

/** Reads the skills of the server behind a session. */
export function createSkillReader(server: SkillServer, options: SkillReaderOptions): SkillReader {
  const get = async (uri: string, request: RequestOptions = {}): Promise<SkillEntry> => {
    const { skill } = toObject(await server.request("skills/get", { uri }, request));
    const entry = readSkillEntry(skill);
    if (entry.uri !== uri) throw new SkillError("entry", uri, `the server answered with ${entry.uri}`);
    return checkSkillEntry(entry);
  };
  const list = async <Item>(list: ItemList<Item>, request: RequestOptions & PageLimits): Promise<readonly Item[]> => {
    const { maxPages, ...rest } = request;
    const fetch = async (page: PageParams): Promise<ResultPage> =>
      toPage(await server.request(list.method, { ...list.params, ...page }, rest));
    const found: Item[] = [];
    const limits = maxPages === undefined ? {} : { maxPages };
    for await (const item of readItems(fetch, list.pick, limits)) found.push(item);
    return found;
  };
  return {
    get,
    list: (request = {}) =>
      list({ method: "skills/list", params: {}, pick: (page) => toItems(page.skills).map(readSkillEntry) }, request),
    async load(skill, request = {}) {
      const entry = typeof skill === "string" ? await get(skill, request) : checkSkillEntry(skill);
      const { limits = skillLimits, dynamic = false, parseYaml } = options;
      checkAmount(entry, { limits, dynamic });
      const files = new SkillFiles(entry, server, limits.bytes);
      const { text } = await files.read(entry.uri, request);
      if (text === undefined) throw new SkillError("frontmatter", entry.uri, "it is no text in UTF-8");
      verifyFrontmatter(entry, text, parseYaml);
      return { entry, text, read: (reference, asked = {}) => files.read(reference, asked) };
    },
    readDirectory: (uri, request = {}) =>
      list(
        {
          method: "resources/directory/read",
          params: { uri },
          pick: (page) => toItems(page.resources).filter(isObject),
        },
        request,
      ),
  };
}

interface ItemList<Item> {
  readonly method: string;
  readonly params: object;
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
      "its files are made when they are read, so that nothing of them can be checked",
    );
  }
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (resources.length <= limits.files && bytes <= limits.bytes) return;
  throw new SkillError(
    "limit",
    uri,
    `it has ${resources.length} files of ${bytes} bytes in all, and allowed are ${limits.files} files and ${limits.bytes} bytes`,
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
