import { existsSync } from "node:fs";
import path from "node:path";

/** What is handed to `spawn`, never through a shell. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted for Windows' command interpreter already. */
  readonly verbatim: boolean;
}

/** The machine that a command is for. */
export interface Machine {
  readonly platform: string;
  readonly env: Variables;
}

/** Where a command is started. */
export interface CommandPlace extends Machine {
  /** Folder that it is started in. Default: the one that this process is in. */
  readonly cwd?: string | undefined;
  readonly exists?: (file: string) => boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * How a program is started. On Windows by its whole path where it is found: what starts it would look in the working folder first, which may be a
 * stranger's. Scripts (`npx.cmd`) Windows cannot start itself: they go through its command interpreter, in a line of which it acts on nothing.
 * Throws for what cannot be written in such a line.
 */
export function toCommand(command: string, args: readonly string[], place: CommandPlace): Command {
  if (place.platform !== "win32") return { file: command, args, verbatim: false };
  const file = findProgram(command, place) ?? command;
  if (!isScript(file)) return { file, args, verbatim: false };
  // The interpreter takes the end of a line for the end of the command.
  if ([file, ...args].some((text) => /[\r\n]/.test(text)))
    throw new Error(`${command} is a script (${file}): Windows passes it no argument with a line break.`);
  const line = [quoteForInterpreter(path.win32.normalize(file)), ...args.map(quoteArgument)].join(" ");
  return {
    file: path.win32.join(readVariable(place.env, "SystemRoot") ?? "C:\\Windows", "System32", "cmd.exe"),
    args: [...interpreterFlags, `"${line}"`],
    verbatim: true,
  };
}

/** The few variables that programs need to run; everything else must be given. A parent's environment may hold secrets. */
export function readInheritedEnv(machine: Machine): Record<string, string> {
  const names = machine.platform === "win32" ? windowsNames : posixNames;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(machine.env)) {
    // A value that starts so is a shell function, which is code.
    if (value !== undefined && names.has(name.toUpperCase()) && !value.startsWith("()")) env[name] = value;
  }
  return env;
}

/** Variables, with others that win. On Windows names that differ in case only are the same, and a process would get either of them. */
export function withEnv({ env, platform }: Machine, more: Variables = {}): Variables {
  if (platform !== "win32") return { ...env, ...more };
  const names = new Set(Object.keys(more).map((name) => name.toUpperCase()));
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name.toUpperCase()))), ...more };
}

/** The variables of a server that is started: what it may know of ours, and its own, which win. */
export function toServerEnv(machine: Machine, own?: Variables): Variables {
  return withEnv({ platform: machine.platform, env: readInheritedEnv(machine) }, own);
}

/** A variable of Windows, whatever the case of its name. */
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

/** The whole path of what Windows would start under this name, program or script, if it is there. */
function findProgram(command: string, { env, cwd = "", exists = existsSync }: CommandPlace): string | undefined {
  const { win32 } = path;
  const endings = (readVariable(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(isStarted);
  // A name with a dot may have its ending already.
  const names = [...(isStarted(win32.extname(command)) ? [command] : []), ...endings.map((ending) => command + ending)];
  const folders = /[\\/]/.test(command) ? [""] : readFolders(env);
  const files = folders.flatMap((folder) => names.map((name) => win32.resolve(cwd, folder, name)));
  return files.find((file) => exists(file));
}

/** Other files, such as those that an editor opens, need more than to be started. */
function isStarted(ending: string): boolean {
  return /^\.(com|exe|bat|cmd)$/i.test(ending);
}

function isScript(file: string): boolean {
  return /\.(cmd|bat)$/i.test(file);
}

/** Folders of the search path; each may stand in quotes. */
function readFolders(env: Variables): string[] {
  const folders = (readVariable(env, "Path") ?? "").split(";");
  return folders.map((folder) => folder.replaceAll('"', "").trim()).filter((folder) => folder !== "");
}

/**
 * Of the interpreter, nothing of which a user's settings may change: no commands of theirs first, variables in percent signs only, and of the
 * rest the outer quotes taken away.
 *
 * @see https://learn.microsoft.com/windows-server/administration/windows-commands/cmd
 */
const interpreterFlags = ["/d", "/e:on", "/v:off", "/s", "/c"];

/** Quoted for the interpreter and for the program: both take a doubled quote for one that ends nothing, however many scripts pass it on. */
function quoteArgument(argument: string): string {
  return quoteForInterpreter(argument.replace(/(\\+)(?="|$)/g, "$1$1"));
}

/** In quotes the interpreter acts on percent signs alone. Before each stands one more, and between them a part of a variable that is always empty. */
function quoteForInterpreter(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll("%", "%%cd:~,%")}"`;
}
