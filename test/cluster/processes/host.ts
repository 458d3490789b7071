/** Place where the programs of a test run: this machine, or a network namespace of its own. */
export interface Host {
  /** Address at which other hosts reach its programs. */
  readonly address: string;
  /** Command that starts another one at this host; empty for this machine. */
  readonly enter: readonly string[];
}

/** Host of programs that need no network of their own. */
export const thisMachine: Host = { address: "127.0.0.1", enter: [] };

/** Returns the program and the arguments that run a command at a host. */
export function toCommand({ enter }: Host, command: readonly string[]): readonly [string, readonly string[]] {
  const [program = "", ...args] = [...enter, ...command];
  return [program, args];
}
