import process from "node:process";
import { readInheritedEnv } from "../../runtime/transport/stdio/command.ts";

/** Environment variables by name. */
type Variables = Readonly<Record<string, string | undefined>>;

/** Advises to pass on an environment variable, if the last output of a server mentions one it was not given. Otherwise returns an empty text. */
export function adviseVariable(
  words: string,
  { given, own = process.env }: { readonly given: Variables; readonly own?: Variables },
): string {
  const inherited = readInheritedEnv({ platform: process.platform, env: own });
  const names = (words.match(variableName) ?? []).filter(
    (name) => !Object.hasOwn(given, name) && !Object.hasOwn(inherited, name),
  );
  const known = names.find((name) => own[name] !== undefined);
  if (known !== undefined) return `Servers receive only the variables passed with --env; add --env ${known}.`;
  const missing = names.find((name) => name.includes("_") && !errorCode.test(name));
  return missing === undefined ? "" : `Set the variable ${missing}, and pass it with --env ${missing}.`;
}

/** Usual names of variables: three or more capitals, digits or underscores. */
const variableName = /\b[A-Z][A-Z\d_]{2,}\b/g;

/** Words of the same form, used as names of errors. */
const errorCode = /^(?:ERR|MODULE|SIG|E)_|_(?:ERROR|ERR|FOUND)$/;
