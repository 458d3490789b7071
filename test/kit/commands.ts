import { vi } from "vitest";
import { runUpdate, type UpdateCommandOptions } from "../../cli/commands/update.ts";
import { runClient, type ClientCommandOptions } from "../../cli/commands/client.ts";

/** Outcome of a command that ran in this process. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command `client` in this process. */
export function client(target: readonly string[], options: Partial<ClientCommandOptions> = {}): Promise<CommandResult> {
  const defaults = { imports: "ts", re2js: false, check: false, failOn: "risky", force: false, strict: false } as const;
  return captured(() => runClient({ ...defaults, ...options, target }));
}

/** Runs the command `update` in this process. */
export function update(directory: string, options: Partial<UpdateCommandOptions> = {}): Promise<CommandResult> {
  const defaults = { check: false, dryRun: false, codemod: false, force: false, undo: false };
  return captured(() => runUpdate({ ...defaults, ...options, directory }));
}

/** Runs something and keeps what it prints. */
export async function captured(run: () => Promise<number>): Promise<CommandResult> {
  const lines = { log: "", error: "" };
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((text: unknown) => void (lines[name] += `${String(text)}\n`)),
  );
  try {
    const code = await run();
    return { code, stdout: lines.log, stderr: lines.error };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
