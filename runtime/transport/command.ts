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
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists?: (file: string) => boolean;
}

/**
 * How a program is started. Windows cannot start scripts (`npx.cmd`) itself: they go through its command interpreter, with every character
 * that it would act on escaped.
 */
export function toCommand(command: string, args: readonly string[], machine: Machine): Command {
  const script = machine.platform === "win32" ? findScript(command, machine) : undefined;
  if (script === undefined) return { file: command, args, verbatim: false };
  const line = [escapeInterpreter(script), ...args.map(escapeArgument)].join(" ");
  return {
    file: machine.env.ComSpec ?? machine.env.COMSPEC ?? "cmd.exe",
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
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
]);

/** The script that Windows would find under this name, if it is one and not a program. */
function findScript(command: string, { env, exists = existsSync }: Machine): string | undefined {
  const { win32 } = path;
  if (/\.(cmd|bat)$/i.test(command)) return win32.normalize(command);
  if (win32.extname(command) !== "") return undefined;
  const extensions = (env.PATHEXT ?? ".COM;.EXE;.BAT;.CMD").split(";");
  const folders = /[\\/]/.test(command) ? [""] : (env.Path ?? env.PATH ?? "").split(";");
  for (const folder of folders) {
    const extension = extensions.find((ending) => exists(win32.join(folder, command + ending)));
    if (extension !== undefined)
      return /^\.(cmd|bat)$/i.test(extension) ? win32.join(folder, command + extension) : undefined;
  }
  return undefined;
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
