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
 * How a program is started. Windows cannot start scripts (`npx.cmd`) itself: they go through its command interpreter, with every character
 * that it would act on escaped. Throws for what no escape can bring there.
 */
export function toCommand(command: string, args: readonly string[], place: CommandPlace): Command {
  const script = place.platform === "win32" ? findScript(command, place) : undefined;
  if (script === undefined) return { file: command, args, verbatim: false };
  // The interpreter takes the end of a line for the end of the command.
  if (args.some((argument) => /[\r\n]/.test(argument)))
    throw new Error(`${command} is a script (${script}): Windows passes it no argument with a line break.`);
  const line = [escapeInterpreter(script), ...args.map(escapeArgument)].join(" ");
  return {
    file: readVariable(place.env, "ComSpec") ?? "cmd.exe",
    args: ["/d", "/s", "/c", `"${line}"`],
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

/** The script that Windows would find under this name, if it is one and not a program. */
function findScript(command: string, { env, cwd = "", exists = existsSync }: CommandPlace): string | undefined {
  const { win32 } = path;
  const endings = (readVariable(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";");
  for (const folder of /[\\/]/.test(command) ? [""] : readFolders(env)) {
    const file = win32.join(folder, command);
    // A name with a dot may have its ending already.
    const names = [...(win32.extname(command) === "" ? [] : [file]), ...endings.map((ending) => file + ending)];
    const found = names.find((name) => exists(win32.resolve(cwd, name)));
    if (found !== undefined) return isScript(found) ? found : undefined;
  }
  return isScript(command) ? win32.normalize(command) : undefined;
}

function isScript(file: string): boolean {
  return /\.(cmd|bat)$/i.test(file);
}

/** Folders of the search path; each may stand in quotes. */
function readFolders(env: Variables): string[] {
  const folders = (readVariable(env, "Path") ?? "").split(";");
  return folders.map((folder) => folder.replaceAll('"', "").trim()).filter((folder) => folder !== "");
}

/** Quoted for the program, then escaped twice: the interpreter reads the line once, and the script's own call once more. */
function escapeArgument(argument: string): string {
  const doubled = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1");
  return escapeInterpreter(escapeInterpreter(`"${doubled}"`));
}

/** @see https://learn.microsoft.com/windows-server/administration/windows-commands/cmd */
function escapeInterpreter(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");
}
