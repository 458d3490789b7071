import process from "node:process";
import { UserError } from "../user-error.ts";
import type { Command } from "./module-command.ts";
import { readTarget } from "./target.ts";

/** A server that can be spoken to. */
export type Place =
  | { readonly kind: "url"; readonly url: string }
  | (Command & { readonly kind: "command"; readonly env: Readonly<Record<string, string>> });

/** Reads the words that name a server of one's own: a command sees every variable of this shell, and a file cannot be asked. */
export function readPlace(words: readonly string[]): Place {
  const target = readTarget(words, { takesFiles: false });
  switch (target.kind) {
    case "url":
      return { kind: "url", url: target.url.href };
    case "command":
      return { ...target, env: readEnvironment() };
    case "file":
      throw new UserError(`${target.path} is a file: name a server that runs, by a command (after --) or an address.`);
    default:
      return target satisfies never;
  }
}

function readEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
