import type { Argv, InferredOptionType, Options, PositionalOptions } from "yargs";
import { phasesText } from "../../generator/internal/phase.ts";
import { UserError } from "../../generator/internal/user-error.ts";

/*
 * A command is a table with a row for each positional argument and option. A row is what yargs has to know, and its name in camel case is the field
 * of the options that the code of the command receives. To add an option, add its row, and the field where the code uses it.
 */

/** Command of the command line. */
export interface Command {
  /** Word by which it is called; `$0` for the command without one. */
  readonly name: string;
  /** Adds the command to the command line. */
  add(cli: Argv): Argv;
}

/** Example of a command: the words to type, and their effect. */
type Example = readonly [call: string, use: string];

interface Table {
  readonly [name: string]: Options & PositionalOptions;
}

/** Name of an option in camel case. */
type FieldName<Option> = Option extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<FieldName<Rest>>}`
  : Option;

type Value<T extends Table, Name extends keyof T> = InferredOptionType<T[Name]>;

/** Values of a command line. An option without a default has no field if it is omitted. */
type Values<T extends Table> = {
  readonly [Name in keyof T as undefined extends Value<T, Name> ? never : FieldName<Name>]: Value<T, Name>;
} & {
  readonly [Name in keyof T as undefined extends Value<T, Name> ? FieldName<Name> : never]?: Exclude<
    Value<T, Name>,
    undefined
  >;
};

/** Row of an option that is off by default. */
export const flag = { type: "boolean", default: false } as const;

/** Row of an option that may be given several times. */
export const list = { type: "string", array: true, nargs: 1 } as const;

/**
 * Defines a command for yargs.
 *
 * @param definition - `call` has the name of the command and the names of positional arguments, as in `model <revision>`; the other rows are options.
 *   `run` returns the exit code. It receives the values, and the words after `--`, which belong to another program. It imports the code of the
 *   command, so that `--help` and other commands do not load it.
 */
export function defineCommand<const T extends Table>({
  call,
  summary,
  options,
  examples,
  notes = [],
  check = () => true,
  run,
}: {
  readonly call: string;
  readonly summary: string;
  readonly options: T;
  readonly examples: readonly Example[];
  /** Paragraphs below the examples. */
  readonly notes?: readonly string[];
  /** Throws a {@link UserError} if options contradict each other. */
  readonly check?: (values: Readonly<Record<string, unknown>>) => true;
  readonly run: (values: Values<T>, words: readonly string[]) => Promise<number>;
}): Command {
  const positional = new Set([...call.matchAll(/[<[](\w+)/g)].map(([, name]) => name));
  const build = (command: Argv): Argv => {
    for (const [name, row] of Object.entries(options))
      if (positional.has(name)) command.positional(name, row);
      else command.option(name, row);
    command.option("verbose", { ...flag, describe: "Print where the time went to stderr" });
    return command.check(check).epilogue([examplesText(examples), ...notes].join("\n\n"));
  };
  const [name = ""] = call.split(" ");
  return {
    name,
    add: (cli) =>
      cli.command(call, summary, build, async ({ "--": words, verbose, ...values }) => {
        const start = performance.now();
        process.exitCode = await run(readValues(values, options), Array.isArray(words) ? words.map(String) : []);
        if (verbose === true) console.error(phasesText(start));
      }),
  };
}

/** Lists examples below the help of a command, each on a line to copy. */
function examplesText(examples: readonly Example[]): string {
  return ["Examples:", ...examples.flatMap(([call, use]) => [`  create-mcp-server ${call}`, `      ${use}`])].join(
    "\n",
  );
}

// yargs has parsed the values by the same table.
function readValues<T extends Table>(values: Readonly<Record<string, unknown>>, table: T): Values<T>;
function readValues(values: Readonly<Record<string, unknown>>, table: Table): object {
  const given = Object.keys(table).filter((name) => values[name] !== undefined);
  return Object.fromEntries(given.map((name) => [toFieldName(name), values[name]]));
}

/** Returns the name of an option in camel case. */
export function toFieldName(option: string): string {
  return option.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

/**
 * Checks the values of a command line, for yargs.
 *
 * @param options - what yargs knows about the options of the command, although its types say aliases; `array` lists those with several values
 * @throws {UserError} when a single-value option is given several times, or the option for a file or a folder has no value
 */
export function checkValues(
  values: Readonly<Record<string, unknown>>,
  { array }: Readonly<Record<string, unknown>>,
): true {
  const lists: readonly unknown[] = Array.isArray(array) ? array : [];
  rejectRepeated(values, new Set(["_", "--", ...lists]));
  const empty = paths.find((name) => values[name] === "");
  if (empty !== undefined) throw new UserError(`--${empty} requires a value.`);
  return true;
}

/** yargs collects repeated values in a list, also if the command takes one value: a limit such as `--fail-on` would then never be reached. */
function rejectRepeated(values: Readonly<Record<string, unknown>>, lists: ReadonlySet<unknown>): void {
  const names = Object.keys(values).filter((name) => !/[A-Z]/.test(name));
  const found = names.find((name) => Array.isArray(values[name]) && !lists.has(name));
  if (found !== undefined) throw new UserError(`--${found} is given several times; pass it once.`);
}

/** Options for files and folders. Without a value, as from an unset variable, they would mean the working folder. */
const paths: readonly string[] = ["extension", "from", "out", "output", "record", "spec"];
