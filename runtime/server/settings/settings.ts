import { isObject } from "../../../generated/support.ts";
import { findPlaceholder, readVariable } from "../../internal/placeholder.ts";
import { SetupError, toError } from "../../jsonrpc/errors.ts";
import type { SchemaIssue } from "../../protocol/methods/schema-issue.ts";
import { toJsonSchema, type Schema } from "../standard-schema.ts";
import { toValue, toVariables, type SettingVariable } from "./setting-variable.ts";

/** Settings of a server: the values of its environment variables, by name. They are read and checked at the first access. */
export type Settings<T> = Readonly<T> & DefinedSettings;

/** Settings without the types of their values, as a server uses them. */
export interface DefinedSettings {
  readonly "~settings": SettingsReader;
}

/** Description and check of the settings of a server. */
export interface SettingsReader {
  readonly variables: readonly SettingVariable[];
  /**
   * Reads and checks all variables, once.
   *
   * @throws {SetupError} when a required variable is missing, or a value is invalid
   */
  check(): void;
}

/** Options of `defineSettings`. */
export interface SettingsOptions {
  /** Environment variables. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Defines the settings of a server. Each property of the schema is an environment variable. Its text is converted to the type of the property: numbers,
 * booleans (`true`, `false`, `1`, `0`) and lists (separated by commas). An empty variable counts as missing, and so does one with a placeholder of
 * a host, such as `${API_KEY}`.
 *
 * With `settings` in its definition, a server checks all variables before it serves, and lists them in `--help`. Properties with `writeOnly: true` or
 * the format `password` are secret: their values appear in no message, and copies of the settings omit them.
 *
 * @throws {SetupError} when a property cannot be read from a variable; at the first access, when a value is missing or invalid
 * @example
 * ```ts
 * import { defineSettings } from "mcp-server-runtime/settings";
 * import * as z from "zod";
 *
 * const settings = defineSettings(
 *   z.object({
 *     NOTES_FOLDER: z.string().describe("Folder of the notes"),
 *     NOTES_LIMIT: z.int().default(20).describe("Maximum number of results"),
 *   }),
 * );
 * const definition = { name: "notes", version: "1.0.0", settings };
 * ```
 */
export function defineSettings<T extends object>(
  schema: Schema<T>,
  { env = process.env }: SettingsOptions = {},
): Settings<T> {
  const properties = readProperties(schema);
  const variables = toVariables(properties);
  let values: T | undefined;
  const read = (): T => (values ??= readValues(schema, { properties, variables, env }));
  const settings: object = {};
  for (const { name, isSecret } of variables)
    Object.defineProperty(settings, name, { enumerable: !isSecret, get: (): unknown => Reflect.get(read(), name) });
  Object.defineProperty(settings, "~settings", { value: { variables, check: () => void read() } });
  // Each property is a getter of the same property of a value that the schema accepted.
  const isComplete = (value: object): value is Settings<T> => "~settings" in value;
  if (isComplete(settings)) return settings;
  throw new SetupError("The settings cannot be defined; report this as a bug");
}

function readProperties(schema: Schema<object>): Readonly<Record<string, unknown>> {
  try {
    return toJsonSchema(schema, "input", {});
  } catch (cause) {
    throw new SetupError(`settings: ${toError(cause).message}`, { cause });
  }
}

interface Environment {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly variables: readonly SettingVariable[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

function readValues<T>(schema: Schema<T>, { properties: { properties: shapes }, variables, env }: Environment): T {
  const given = variables.flatMap(({ name }) => {
    const text = readVariable(env, name);
    if (text === undefined) return [];
    return [[name, toValue(text, isObject(shapes) ? shapes[name] : undefined)] as const];
  });
  const missing = variables.filter(({ name, isRequired }) => isRequired && !given.some(([known]) => known === name));
  if (missing.length > 0)
    throw new SetupError(
      missingText(
        missing.map(({ name }) => name),
        env,
      ),
    );
  const result = schema["~standard"].validate(Object.fromEntries(given));
  if (result instanceof Promise) throw new SetupError("The settings have asynchronous checks; use synchronous ones");
  if (result.issues) throw new SetupError(invalidText(result.issues, variables));
  return result.value;
}

function missingText(names: readonly string[], env: Environment["env"]): string {
  const unfilled = names.find((name) => findPlaceholder(env[name] ?? "") !== undefined);
  if (unfilled !== undefined)
    return `The setting ${unfilled} is missing: the host did not fill in its placeholder; enter a value in the settings of the host`;
  return names.length === 1
    ? `The setting ${names[0]} is missing; set the environment variable, see --help`
    : `The settings ${names.join(", ")} are missing; set the environment variables, see --help`;
}

/** Describes the first issue. The message of an issue may quote a value, so it is omitted for a secret. */
function invalidText([issue]: readonly SchemaIssue[], variables: readonly SettingVariable[]): string {
  const [first] = issue?.path ?? [];
  const name = typeof first === "object" ? String(first.key) : String(first ?? "");
  const isSecret = variables.some((variable) => variable.isSecret && (name === "" || variable.name === name));
  const reason = isSecret || !issue ? "" : ` (${issue.message})`;
  return `The setting ${name} is invalid${reason}; correct the environment variable`;
}
