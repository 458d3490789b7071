import { existsSync } from "node:fs";
import { join } from "node:path";
import { outputText } from "../../internal/text.ts";
import { UserError } from "../../internal/user-error.ts";
import { isRecord, parseJson } from "../../internal/json-text.ts";
import { lastLines, run, type Outcome } from "../create/run.ts";

/** Environment variable read as a setting by the server of a project, in the form printed by `--settings`. */
export interface ServerSetting {
  readonly name: string;
  readonly type: "string" | "number" | "integer" | "boolean" | "array";
  readonly description?: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly default?: string;
  readonly choices?: readonly string[];
}

/** Options of the reading of settings. */
export interface SettingsReading {
  /** Milliseconds for the server to print its settings. Default: 30 s. */
  readonly timeout?: number;
  /** Ends the programs. Default: nothing does. */
  readonly interrupted?: AbortSignal;
}

/**
 * Builds the server of a project, and reads the settings printed for `--settings`. A server without settings does not know this option. The program
 * of an application does not either, and serves.
 *
 * @throws {UserError} when the project cannot be built, its server fails, or it does not end within the timeout
 */
export async function readSettings(
  project: string,
  { timeout = 30_000, interrupted = new AbortController().signal }: SettingsReading = {},
): Promise<readonly ServerSetting[]> {
  const program = join("dist", "server.js");
  if (!existsSync(join(project, "build.js")))
    throw new UserError("build.js does not exist; use the command in a project with a server program.");
  const built = await run(process.execPath, ["build.js"], { folder: project, signal: interrupted });
  interrupted.throwIfAborted();
  if (!built.ok) throw failed("build.js", built);
  if (!existsSync(join(project, program)))
    throw new UserError(
      `${program} does not exist after the build; use the command in a project with a server program.`,
    );
  const late = AbortSignal.timeout(timeout);
  const signal = AbortSignal.any([late, interrupted]);
  const printed = await run(process.execPath, [program, "--settings"], { folder: project, signal });
  interrupted.throwIfAborted();
  if (late.aborted)
    throw new UserError(
      `${program} does not end with --settings; use the command in a project whose src/server.ts calls \`run\`.`,
    );
  if (printed.output.includes("Unknown option --settings")) return [];
  const settings = printed.ok ? parseSettings(printed.output) : undefined;
  if (!settings) throw failed(`${program} --settings`, printed);
  return settings;
}

function failed(command: string, outcome: Outcome): UserError {
  return new UserError(
    `\`node ${command}\` failed; correct this first:\n${outputText(lastLines(outcome), longestOutput)}`,
  );
}

/** Maximum length of a failed program's output in a message, in characters. */
const longestOutput = 4_000;

/** Finds the line with the settings. Imported modules may print other lines. */
function parseSettings(output: string): readonly ServerSetting[] | undefined {
  for (const line of output.split("\n")) {
    const value = parseJson(line);
    if (isRecord(value) && Array.isArray(value.settings) && value.settings.every(isSetting)) return value.settings;
  }
  return undefined;
}

function isSetting(value: unknown): value is ServerSetting {
  if (!isRecord(value)) return false;
  const { name, type, description = "", isRequired, isSecret, choices = [] } = value;
  const isDescribed = typeof description === "string" && ["string", "undefined"].includes(typeof value.default);
  const isTyped = ["string", "number", "integer", "boolean", "array"].includes(String(type));
  const isListed = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
  const isNamed = typeof name === "string" && /^[A-Za-z]\w*$/.test(name);
  return (
    isNamed && isTyped && isDescribed && isListed && [isRequired, isSecret].every((flag) => typeof flag === "boolean")
  );
}
