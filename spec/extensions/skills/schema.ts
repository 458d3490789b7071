/**
 * The skills extension, `io.modelcontextprotocol/skills`: names and shapes are those of its specification, the comments are our own. Params
 * are written out instead of inherited, since sessions with a handshake have it too, and their requests carry no metadata.
 */
import type { CacheableResult, Cursor, JSONRPCRequest, PaginatedResult, Resource } from "../../2026-07-28/schema.ts";

/**
 * What a server declares.
 *
 * @category `skills`
 */
export interface SkillsExtensionCapability {
  /**
   * Whether folders can be read, one at a time. Default `false`: then clients must not ask for them.
   */
  directoryRead?: boolean;
}

/**
 * Metadata that any request may carry.
 *
 * @category `skills`
 */
export interface SkillRequestMeta {
  [key: string]: unknown;
}

/**
 * What a skill says about itself at the top of its `SKILL.md`, with every field that its author wrote there.
 *
 * @category `skills`
 */
export interface SkillFrontmatter {
  /**
   * The last segment of the path of the skill. A label for people and models; it identifies nothing.
   */
  name: string;

  /**
   * What the skill is for and when to use it.
   */
  description: string;

  [field: string]: unknown;
}

/**
 * One file of a skill.
 *
 * @category `skills`
 */
export interface SkillResource {
  /**
   * Where the file is read, with `resources/read`.
   *
   * @format uri
   */
  uri: string;

  /**
   * SHA-256 of the bytes of the file: `sha256:` and 64 hexadecimal digits in lower case.
   */
  digest: string;

  /**
   * How many bytes those are. Another number of them is as bad as another digest.
   *
   * @minimum 0
   */
  size: number;
}

/**
 * All that a host needs to know of a skill before it reads any of its files.
 *
 * @category `skills`
 */
export interface Skill {
  /**
   * The URI of its `SKILL.md`, which identifies the skill on its server.
   *
   * @format uri
   */
  uri: string;

  /**
   * The same as in `SKILL.md`, or the skill must not be loaded.
   */
  frontmatter: SkillFrontmatter;

  /**
   * Every file of the skill with its `SKILL.md` among them, or `"dynamic"` if they are made on demand and have no lasting digests.
   */
  resources: SkillResource[] | "dynamic";
}

/**
 * Which page of skills is asked for.
 *
 * @category `skills/list`
 */
export interface ListSkillsRequestParams {
  _meta?: SkillRequestMeta;

  /**
   * The `nextCursor` of the page before; left out for the first page.
   */
  cursor?: Cursor;
}

/**
 * Asks for a page of the skills of a server.
 *
 * @category `skills/list`
 */
export interface ListSkillsRequest extends JSONRPCRequest {
  method: "skills/list";
  params?: ListSkillsRequestParams;
}

/**
 * A page of skills. None at all, or fewer than there are, proves nothing: others may still be asked for by their URI.
 *
 * @category `skills/list`
 */
export interface ListSkillsResult extends PaginatedResult, CacheableResult {
  skills: Skill[];
}

/**
 * Which skill is asked for.
 *
 * @category `skills/get`
 */
export interface GetSkillRequestParams {
  _meta?: SkillRequestMeta;

  /**
   * The URI of its `SKILL.md`. One that the server does not serve is refused with `-32602`.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Asks for one skill, listed or not.
 *
 * @category `skills/get`
 */
export interface GetSkillRequest extends JSONRPCRequest {
  method: "skills/get";
  params: GetSkillRequestParams;
}

/**
 * The skill as it is now.
 *
 * @category `skills/get`
 */
export interface GetSkillResult extends CacheableResult {
  skill: Skill;
}

/**
 * Which folder is asked for.
 *
 * @category `resources/directory/read`
 */
export interface ReadResourceDirectoryRequestParams {
  _meta?: SkillRequestMeta;

  /**
   * Without a slash at its end. What is no folder, or not there, is refused with `-32602`.
   *
   * @format uri
   */
  uri: string;

  /**
   * The `nextCursor` of the page before; left out for the first page.
   */
  cursor?: Cursor;
}

/**
 * Asks what is in a folder, and not in the folders in it.
 *
 * @category `resources/directory/read`
 */
export interface ReadResourceDirectoryRequest extends JSONRPCRequest {
  method: "resources/directory/read";
  params: ReadResourceDirectoryRequestParams;
}

/**
 * What is in the folder. Folders in it have the MIME type `inode/directory`.
 *
 * @category `resources/directory/read`
 */
export interface ReadResourceDirectoryResult extends PaginatedResult {
  resources: Resource[];
}
