import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../generator/internal/package-info.ts";

/** A fictional revision, and two of those before it: without sessions and with sessions. */
export const next = "2027-03-30";
export const newest = "2026-07-28";
export const older = "2025-11-25";

/**
 * Writes a spec folder with a fictional revision, and returns its path. The revision has other names of a log level and a role, and two required
 * members unknown to older peers.
 */
export async function writeFictionalSpec(folder: string): Promise<string> {
  const spec = join(folder, "spec");
  await cp(join(packageRoot, "spec"), spec, { recursive: true });
  await cp(join(spec, newest), join(spec, next), { recursive: true });
  await edit(join(spec, next, "schema.ts"), (text) =>
    text
      .replaceAll(newest, next)
      .replace(/^(export type LoggingLevel = .*)"emergency"/m, '$1"disaster"')
      .replace('export type Role = "user"', 'export type Role = "person"')
      .replace(/^(export interface GetPromptRequestParams .*)$/m, "$1\n  tone: string;")
      .replace(/^(export interface GetPromptResult .*)$/m, "$1\n  languages: string[];"),
  );
  await edit(join(spec, next, "overlay.json"), (text) => {
    const overlay = JSON.parse(text.replaceAll(`/${newest}/`, `/${next}/`));
    // Code writes this name of a role.
    const removed = [
      { clause: `https://modelcontextprotocol.io/specification/${next}/changelog`, names: ["Role:user"] },
    ];
    return JSON.stringify({ ...overlay, removed });
  });
  await edit(join(spec, newest, "overlay.json"), (text) => {
    const reason = "It has another name.";
    const conversions = [
      { rule: "as", value: "emergency", at: ["LoggingLevel:disaster"], reason },
      { rule: "as", value: "user", at: ["Role:person"], reason },
      { rule: "drop", at: ["GetPromptRequestParams.tone", "GetPromptResult.languages"], reason: "There is none." },
      { rule: "default", value: "plain", at: ["GetPromptRequestParams.tone"], reason: "Older peers send none." },
      { rule: "default", value: ["en"], at: ["GetPromptResult.languages"], reason: "Older peers send none." },
    ];
    return JSON.stringify({ ...JSON.parse(text), conversions });
  });
  await edit(join(spec, "pins.json"), (text) => {
    const pins = JSON.parse(text);
    return JSON.stringify({ ...pins, revisions: { ...pins.revisions, [next]: pins.revisions[newest] } });
  });
  return spec;
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}
