import { SpecError } from "./spec-error.ts";

/** One pinned revision of `spec/pins.json`. */
export interface Pin {
  readonly status: "released" | "draft";
  /** Lower-case hex SHA-256 of the upstream `schema.ts` that the folder's own was proven equal to, or is. */
  readonly sha256: string;
  /** Upstream commit of that file, when it is known. */
  readonly commit?: string;
  /** Where that file is: a URL or a path. */
  readonly source?: string;
}

/** Pins by revision identifier, oldest first. */
export type Pins = ReadonlyMap<string, Pin>;

/** Revision identifiers are dates; everything that becomes a folder name must be one. */
export const revisionPattern: RegExp = /^\d{4}-\d{2}-\d{2}$/;

/** Reads `spec/pins.json`. Throws a {@link SpecError} when it is not a list of pins. */
export function readPins(path: string, text: string): Pins {
  const value = parse(path, text);
  const entries = isRecord(value) && isRecord(value.revisions) ? Object.entries(value.revisions) : [];
  if (entries.length === 0)
    throw new SpecError({ file: path, text: "expected an object `revisions` with at least one revision" });
  const pins = entries.map(([id, pin]): [string, Pin] => {
    if (!revisionPattern.test(id))
      throw new SpecError({ file: path, text: `\`${id}\` is not a revision date such as YYYY-MM-DD` });
    if (!isPin(pin))
      throw new SpecError({
        file: path,
        text: `\`${id}\` needs a status (released or draft) and a sha256 of 64 hex digits`,
      });
    return [id, pin];
  });
  return new Map(pins.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Text of a pins file. */
export function pinsText(pins: Pins): string {
  const sorted = [...pins].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ revisions: Object.fromEntries(sorted) }, undefined, 2)}\n`;
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SpecError({ file: path, text: `not JSON: ${error instanceof Error ? error.message : String(error)}` });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPin(value: unknown): value is Pin {
  if (!isRecord(value)) return false;
  const isStatus = value.status === "released" || value.status === "draft";
  const isText = (part: unknown): boolean => part === undefined || typeof part === "string";
  return (
    isStatus &&
    typeof value.sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(value.sha256) &&
    isText(value.commit) &&
    isText(value.source)
  );
}
