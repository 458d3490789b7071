import { basename, extname } from "node:path";
import { safeLine } from "../internal/text.ts";
import { UserError } from "../internal/user-error.ts";
import { toFileName } from "../typed-client/tool-schema/names.ts";
import type { ApiRecord } from "./api-lock.ts";

/** Name of the API in the document a project was created from. */
export const mainApi = "api";

/** API of a project, and its document. */
type NamedApi = Pick<ApiRecord, "name" | "document">;

/** Document to add, and the APIs that a project has. */
export interface NameInput {
  /** Name on the command line, if there is one. */
  readonly given: string | undefined;
  /** Path of the document relative to the project, with forward slashes. */
  readonly document: string;
  /** Title in the document; empty if it has none. */
  readonly title: string;
  readonly known: readonly NamedApi[];
}

/**
 * Returns the name for the API of a document: the given one, or the name of the API with this document, or the name of the file. A file with a
 * general name, such as `openapi.yaml`, is named by the title of its document.
 *
 * @throws {UserError} when the name is not possible, or belongs to another document.
 */
export function chooseName({ given, document, title, known }: NameInput): string {
  if (given !== undefined) return checkName(given, known);
  const same = known.filter((api) => api.document === document);
  const [first] = same;
  if (same.length > 1) throw new UserError(`${listNames(same)} are from ${document}; choose one of them with --as.`);
  if (first) return first.name;
  const file = toFileName(basename(document, extname(document)));
  const words = generalNames.has(file) ? toFileName(title) : file;
  const name = (/^[a-z]/.test(words) && !generalNames.has(words) ? words : `http-${words}`)
    .slice(0, 40)
    .replace(/-+$/, "");
  const twin = known.find((api) => api.name === name);
  if (!twin) return name;
  const advice = `--as ${name} updates it from ${document}, another name adds a second API.`;
  throw new UserError(`The API ${name} is from ${safeLine(twin.document)}; ${advice}`);
}

const generalNames: ReadonlySet<string> = new Set([
  mainApi,
  "index",
  "openapi",
  "schema",
  "spec",
  "swagger",
  "unnamed",
]);

function checkName(name: string, known: readonly NamedApi[]): string {
  if (known.some((api) => api.name === name)) return name;
  if (/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name) && name.length <= 40 && name !== mainApi) return name;
  throw new UserError(
    `--as: ${JSON.stringify(safeLine(name, 80))} cannot be the name of an API; use a-z and 0-9 with - between words, for example shop.`,
  );
}

function listNames(apis: readonly NamedApi[]): string {
  return apis.map(({ name }) => name).join(" and ");
}
