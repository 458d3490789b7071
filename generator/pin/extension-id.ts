import { join } from "node:path";
import { avoidDevice, readIfPresent } from "../internal/files.ts";
import { isRecord, parseJson } from "../internal/json-text.ts";
import { UserError } from "../internal/user-error.ts";
import type { SpecFolder } from "../read/spec-folder.ts";
import type { SchemaSource } from "./source.ts";

/** Identifier and folder of an extension. */
export interface ExtensionNames {
  /** Identifier on the wire. */
  readonly id: string;
  /** Name of its folder below `extensions`. */
  readonly name: string;
}

/** Pattern of identifiers: labels of a domain, a slash, and a name. */
const idPattern =
  /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;

/** Returns the names of an extension to pin. @throws {UserError} when they belong to another extension */
export async function chooseNames(
  folder: SpecFolder,
  source: Pick<SchemaSource, "from" | "text">,
  given: string | undefined,
): Promise<ExtensionNames> {
  const ids = await readIds(folder);
  const id = given ?? findId(folder, source, ids);
  if (!idPattern.test(id))
    throw new UserError(`\`${id}\` is no identifier of an extension; pass one with a prefix, as com.example/echo.`);
  const name = folderName(id);
  const other = [...ids].find(([key, used]) => used === id && key !== name);
  if (other)
    throw new UserError(`${id} is pinned as extensions/${other[0]}; rename that folder and its pin to ${name} first.`);
  const used = ids.get(name);
  if (used !== undefined && used !== id)
    throw new UserError(`extensions/${name} is ${used}, not ${id}; remove it from pins.json, or use another --spec.`);
  return { id, name };
}

/** Returns the names of an extension that may be pinned, by either of them. @throws {UserError} when it is neither */
export async function findNames(folder: SpecFolder, word: string): Promise<ExtensionNames> {
  const found = [...(await readIds(folder))].find(([name, id]) => name === word || id === word);
  if (found) return { name: found[0], id: found[1] };
  if (idPattern.test(word)) return { id: word, name: folderName(word) };
  throw new UserError(`${folder.path} has no extension \`${word}\`; pass its identifier, as com.example/echo.`);
}

/** Returns the identifiers of the pinned extensions, by the names of their folders. */
async function readIds({ path, extensions }: SpecFolder): Promise<ReadonlyMap<string, string>> {
  const entries = [...extensions.keys()].map(async (name): Promise<[string, string][]> => {
    const overlay = parseJson((await readIfPresent(join(path, "extensions", name, "overlay.json"))) ?? "");
    return isRecord(overlay) && typeof overlay.id === "string" ? [[name, overlay.id]] : [];
  });
  return new Map((await Promise.all(entries)).flat());
}

/** Returns the identifier pinned from the same source, or the only one among the constants of the file. */
function findId(
  { extensions }: SpecFolder,
  { from, text }: Pick<SchemaSource, "from" | "text">,
  ids: ReadonlyMap<string, string>,
): string {
  const pinned = [...extensions].find(([, { source }]) => source === from);
  const known = pinned && ids.get(pinned[0]);
  if (known !== undefined) return known;
  const written = [...text.matchAll(/^export const \w+(?:: string)? = "([^"\n]+)"/gm)].map(([, value]) => value ?? "");
  const [only, ...others] = written.filter((value) => idPattern.test(value));
  if (only !== undefined && others.length === 0) return only;
  throw new UserError(`${from} does not state the identifier of the extension; pass it, as --id com.example/echo.`);
}

/** Returns the name of the folder of an extension: the last part of its identifier. */
function folderName(id: string): string {
  const [, name = ""] = id.split("/");
  return avoidDevice(name.toLowerCase().replaceAll(/[^a-z\d]+/g, "-"), "extension");
}
