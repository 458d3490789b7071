import { SpecError } from "../internal/spec-error.ts";
import { isRecord } from "../internal/json-text.ts";

/** One pinned revision or extension of `spec/pins.json`. */
export interface Pin {
  readonly status: "released" | "draft";
  /**
   * Lower-case hex SHA-256 of the upstream `schema.ts`. The local file is equal to it or was verified against it. Absent for extensions published as
   * prose only.
   */
  readonly sha256?: string;
  /** Upstream commit of the file, if known. */
  readonly commit?: string;
  /** Location of the file: a URL or a path. */
  readonly source?: string;
  /** Revision whose declarations an extension uses. Absent: the newest one of the folder. */
  readonly revision?: string;
}

/** Pin of an existing file. */
export interface FilePin extends Pin {
  readonly sha256: string;
}

/** Pins by revision identifier, oldest first, or by name of an extension. */
export type Pins = ReadonlyMap<string, Pin>;

/** Pattern of revision identifiers, which are dates. Every identifier must match before it becomes a folder name. */
export const revisionPattern: RegExp = /^\d{4}-\d{2}-\d{2}$/;

/** Pattern of extension names, which become folder names as well. */
export const extensionPattern: RegExp = /^[a-z\d][a-z\d-]*$/;

/** Reads the revisions in `spec/pins.json`. @throws {SpecError} when the text is not a list of pins. */
export function readPins(path: string, text: string): Pins {
  const value = parse(path, text);
  const entries = isRecord(value) && isRecord(value.revisions) ? Object.entries(value.revisions) : [];
  if (entries.length === 0)
    throw new SpecError({ file: path, text: "expected an object `revisions` with at least one revision" });
  const expected = "a revision date such as YYYY-MM-DD";
  return toPins(path, entries, { pattern: revisionPattern, expected, isHashed: true });
}

/** Reads the extensions in `spec/pins.json`. There may be none. @throws {SpecError} when an entry is not a pin. */
export function readExtensionPins(path: string, text: string): Pins {
  const value = parse(path, text);
  const entries = isRecord(value) && isRecord(value.extensions) ? Object.entries(value.extensions) : [];
  const expected = "a name in lower case, such as `tasks`";
  return toPins(path, entries, { pattern: extensionPattern, expected, isHashed: false });
}

/** Returns the text of a pins file. */
export function pinsText(pins: Pins, extensions: Pins): string {
  const content = {
    revisions: Object.fromEntries(sorted([...pins])),
    ...(extensions.size > 0 && { extensions: Object.fromEntries(sorted([...extensions])) }),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function toPins(
  path: string,
  entries: readonly [string, unknown][],
  { pattern, expected, isHashed }: { readonly pattern: RegExp; readonly expected: string; readonly isHashed: boolean },
): Pins {
  const pins = entries.map(([id, pin]): [string, Pin] => {
    if (!pattern.test(id)) throw new SpecError({ file: path, text: `\`${id}\` is not ${expected}` });
    if (!isPin(pin) || (isHashed && pin.sha256 === undefined))
      throw new SpecError({
        file: path,
        text: `\`${id}\` needs a status (released or draft) and a sha256 of 64 hex digits`,
      });
    return [id, pin];
  });
  return new Map(sorted(pins));
}

function sorted(pins: readonly [string, Pin][]): readonly [string, Pin][] {
  return pins.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new SpecError({ file: path, text: `not JSON: ${error instanceof Error ? error.message : String(error)}` });
  }
}

function isPin(value: unknown): value is Pin {
  if (!isRecord(value)) return false;
  const isStatus = value.status === "released" || value.status === "draft";
  const isText = (part: unknown): boolean => part === undefined || typeof part === "string";
  return (
    isStatus &&
    isText(value.sha256) &&
    (typeof value.sha256 !== "string" || /^[0-9a-f]{64}$/.test(value.sha256)) &&
    (value.commit === undefined || (typeof value.commit === "string" && /^[0-9a-f]{40}$/.test(value.commit))) &&
    isText(value.source) &&
    (value.revision === undefined || (typeof value.revision === "string" && revisionPattern.test(value.revision)))
  );
}
