import { findImports, renamesExports, type SchemaFile } from "../read/imported-files.ts";
import { joinFiles, type JoinedFiles } from "../read/join-files.ts";
import { UserError } from "../internal/user-error.ts";
import { openSourceFolder, sizeLimit, tooLarge, type SourceFolder, type SourceOptions } from "./source-folder.ts";
import { parseJson } from "../internal/json-text.ts";

/** Text of a schema, before it is parsed. */
export interface SchemaSource {
  /** The given URL or path. */
  readonly from: string;
  /** Its text with `\n` line endings. The files of a schema in several files are joined. */
  readonly text: string;
  /** The joined files, the given one last; empty for a schema in one file. */
  readonly files: readonly string[];
  /** Returns the original place, in a file, of a place in the text. */
  readonly originOf: JoinedFiles["originOf"];
  /** The commit in the URL, if any. */
  readonly commit?: string;
}

const fileLimit = 50;

/**
 * Reads a schema from a path, a `file:` URL or an `https:` URL, with its imported files, from its folder.
 *
 * @throws {UserError} when the source cannot be read or is no schema.
 */
export async function readSource(from: string, options: SourceOptions = {}): Promise<SchemaSource> {
  const folder = openSourceFolder(from, options);
  const text = decode(from, await folder.readSchema());
  rejectOtherFormats(from, text);
  if (!mayImport.test(text)) rejectOtherTypeScript(from, text);
  const files = await readImports({ name: folder.name, path: from, text }, folder);
  const joined = join(files, from);
  rejectOtherTypeScript(from, joined.text);
  return { from, ...joined, ...commitOf(folder, from) };
}

/**
 * Reads the schema of an extension. It is one file: its imports are of the core.
 *
 * @throws {UserError} when the source cannot be read or is another format.
 */
export async function readExtensionSource(
  from: string,
  options: SourceOptions = {},
): Promise<Pick<SchemaSource, "from" | "text" | "commit">> {
  const folder = openSourceFolder(from, options);
  const text = decode(from, await folder.readSchema());
  rejectOtherFormats(from, text);
  return { from, text, ...commitOf(folder, from) };
}

function commitOf({ isUrl }: SourceFolder, from: string): Pick<SchemaSource, "commit"> {
  const commit = isUrl ? /(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/.exec(from)?.[0] : undefined;
  return commit === undefined ? {} : { commit };
}

/** Pattern of files with possible imports. */
const mayImport = /^\s*(?:import|export\s*(?:type\s*)?[*{])/m;

/** One file is taken as it is. */
function join(files: readonly SchemaFile[], from: string): Pick<SchemaSource, "text" | "files" | "originOf"> {
  const [schema, ...others] = files;
  if (schema && others.length === 0 && !renamesExports(schema))
    return { text: schema.text, files: [], originOf: (location) => ({ file: from, ...location }) };
  return { ...joinFiles(files), files: files.map(({ name }) => name) };
}

/** Reads the imported files of a file, and theirs: each once, before its importers. */
async function readImports(schema: SchemaFile, folder: SourceFolder): Promise<readonly SchemaFile[]> {
  const seen = new Set([schema.name]);
  const files: SchemaFile[] = [];
  let size = schema.text.length;
  const follow = async (file: SchemaFile): Promise<void> => {
    for (const { name, location } of findImports(file)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const place = `${file.path}:${location.line}:${location.column}`;
      if (seen.size > fileLimit)
        throw new UserError(`${place}: a schema has at most ${fileLimit} files; check that it is a schema.ts.`);
      const path = folder.pathOf(name);
      const text = decode(path, await folder.readImport(name).catch((error: unknown) => rejectImport(place, error)));
      size += text.length;
      if (size > sizeLimit) throw tooLarge(schema.path);
      rejectOtherFormats(path, text);
      await follow({ name, path, text });
    }
    files.push(file);
  };
  await follow(schema);
  return files;
}

function rejectImport(place: string, error: unknown): never {
  throw error instanceof UserError ? new UserError(`${place}: ${error.message}`) : error;
}

function decode(from: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new UserError(`${from} is not UTF-8 text; pass the address of a schema.ts.`);
  }
}

function rejectOtherFormats(from: string, text: string): void {
  const advice = "pass the schema.ts itself (on GitHub, its address on raw.githubusercontent.com).";
  if (text.trim() === "") throw new UserError(`${from} is empty; ${advice}`);
  if (/^\s*</.test(text)) throw new UserError(`${from} is an HTML or XML page, not a schema.ts; ${advice}`);
  if (parseJson(text) !== undefined) throw new UserError(`${from} is JSON, not TypeScript; ${advice}`);
}

function rejectOtherTypeScript(from: string, text: string): void {
  // Every revision has both declarations. One is enough, so that a rename does not matter.
  if (/^(?:export )?(?:(?:type|interface) JSONRPCMessage|const LATEST_PROTOCOL_VERSION)\b/m.test(text)) return;
  throw new UserError(
    `${from} is not an MCP schema (it declares no JSONRPCMessage); pass the schema.ts of a revision.`,
  );
}
