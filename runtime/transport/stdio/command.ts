import path from "node:path";
import { loadFileSystem } from "./node-modules.ts";

/** Command for `spawn`, which never uses a shell. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** True if the arguments are already quoted for the command interpreter of Windows. */
  readonly verbatim: boolean;
}

/** Platform and environment variables to run a command in. */
export interface CommandEnvironment {
  readonly platform: string;
  readonly env: Variables;
}

/** Environment in which a command is started. */
export interface CommandPlace extends CommandEnvironment {
  /** Working folder of the command. Default: the one of this process. */
  readonly cwd?: string | undefined;
  readonly exists?: (file: string) => boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the command to start a program. On Windows it contains the full path of the program if it is found: Windows would search the working folder
 * first, which may belong to a stranger. Windows cannot start scripts (`npx.cmd`) directly. They run in its command interpreter, with a line
 * protected from expansion.
 *
 * @throws {Error} when an argument of a Windows script contains a line break
 */
export function toCommand(command: string, args: readonly string[], place: CommandPlace): Command {
  if (place.platform !== "win32") return { file: command, args, verbatim: false };
  const file = findProgram(command, place) ?? command;
  if (!isScript(file)) return { file, args, verbatim: false };
  // The interpreter treats the end of a line as the end of the command.
  if ([file, ...args].some((text) => /[\r\n]/.test(text)))
    throw new Error(
      `${command} is a script (${file}), which Windows starts without line breaks in arguments; remove them`,
    );
  const line = [quoteForInterpreter(path.win32.normalize(file)), ...args.map(quoteArgument)].join(" ");
  return {
    file: path.win32.join(readVariable(place.env, "SystemRoot") ?? "C:\\Windows", "System32", "cmd.exe"),
    args: [...interpreterFlags, `"${line}"`],
    verbatim: true,
  };
}

/** Returns the few variables all programs need to run. Pass on all others explicitly: the environment of a parent may hold secrets. */
export function readInheritedEnv(machine: CommandEnvironment): Record<string, string> {
  const names = machine.platform === "win32" ? windowsNames : posixNames;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(machine.env)) {
    // A value with this prefix is a shell function, which is code.
    if (value !== undefined && names.has(name.toUpperCase()) && !value.startsWith("()")) env[name] = value;
  }
  return env;
}

/** Merges variables; `more` wins. On Windows, names which differ only in case are the same, and a process would get either of them. */
export function withEnv({ env, platform }: CommandEnvironment, more: Variables = {}): Variables {
  if (platform !== "win32") return { ...env, ...more };
  const names = new Set(Object.keys(more).map((name) => name.toUpperCase()));
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name.toUpperCase()))), ...more };
}

/** Returns the variables of a server process: those it may inherit, and its own, which win. */
export function toServerEnv(machine: CommandEnvironment, own?: Variables): Variables {
  return withEnv({ platform: machine.platform, env: readInheritedEnv(machine) }, own);
}

/** Returns a variable of Windows; the case of its name is ignored. */
function readVariable(env: Variables, name: string): string | undefined {
  const found = Object.keys(env).find((key) => key.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : env[found];
}

const posixNames: ReadonlySet<string> = new Set(["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"]);

const windowsNames: ReadonlySet<string> = new Set([
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
]);

/** Returns the full path of the program or script Windows would start under this name, if it exists. */
function findProgram(
  command: string,
  { env, cwd = "", exists = loadFileSystem().existsSync }: CommandPlace,
): string | undefined {
  const { win32 } = path;
  const endings = (readVariable(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(isStarted);
  // A name with a dot may already have its extension.
  const names = [...(isStarted(win32.extname(command)) ? [command] : []), ...endings.map((ending) => command + ending)];
  const folders = /[\\/]/.test(command) ? [""] : readFolders(env);
  const files = folders.flatMap((folder) => names.map((name) => win32.resolve(cwd, folder, name)));
  return files.find((file) => exists(file));
}

/** True for executable files. Others, such as documents, cannot be started directly. */
function isStarted(ending: string): boolean {
  return /^\.(com|exe|bat|cmd)$/i.test(ending);
}

function isScript(file: string): boolean {
  return /\.(cmd|bat)$/i.test(file);
}

/** Returns the folders of the search path; each may be quoted. */
function readFolders(env: Variables): string[] {
  const folders = (readVariable(env, "Path") ?? "").split(";");
  return folders.map((folder) => folder.replaceAll('"', "").trim()).filter((folder) => folder !== "");
}

/**
 * Flags to make the interpreter independent of the user's settings: it runs no commands of the user first, expands variables only between percent
 * signs, and removes only the outer quotes of the line.
 *
 * @see https://learn.microsoft.com/windows-server/administration/windows-commands/cmd
 */
const interpreterFlags = ["/d", "/e:on", "/v:off", "/s", "/c"];

/** Quotes an argument for the interpreter and for the program. For both, a doubled quote does not end the text, through any number of scripts. */
function quoteArgument(argument: string): string {
  return quoteForInterpreter(argument.replace(/(\\+)(?="|$)/g, "$1$1"));
}

/**
 * Quotes text for the interpreter, which expands only percent signs within quotes. Each is preceded by another one, and the text between them is a
 * reference to zero characters of a variable.
 */
function quoteForInterpreter(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll("%", "%%cd:~,%")}"`;
}
