/** Model of Windows' command interpreter and of the argument parser of C programs, written from their documentation. */

/**
 * Returns the arguments that a program gets of `cmd.exe /c LINE` if one or two scripts call it with `%*`. Throws if anything else would run.
 */
export function readArguments(
  line: string,
  { env, scripts }: { readonly env: Readonly<Record<string, string>>; readonly scripts: number },
): string[] {
  let text = interpret(expandVariables(line.replace(/^"(.*)"$/s, "$1"), env));
  // `%*` is put in as it is: what stands in it is not looked at for variables again.
  for (let script = 0; script < scripts; script += 1) text = interpret(text);
  return splitArguments(text).slice(1);
}

/** On a line, other than in a script, a percent sign that begins no variable stays, and the next may begin one. */
function expandVariables(line: string, env: Readonly<Record<string, string>>): string {
  let text = "";
  let rest = line;
  while (rest !== "") {
    const [all = "", name = "", change = ""] = /^%([^%:]+)(?::([^%]*))?%/.exec(rest) ?? [];
    const value = env[name.toUpperCase()];
    text += all === "" || value === undefined ? rest.charAt(0) : changeValue(value, change);
    rest = rest.slice(all === "" || value === undefined ? 1 : all.length);
  }
  return text;
}

/** `%NAME:~start,length%` and `%NAME:this=that%`. */
function changeValue(value: string, change: string): string {
  const [, start, length] = /^~(-?\d*)[^,]*(?:,(-?\d*).*)?$/s.exec(change) ?? [];
  if (start !== undefined)
    return value.slice(Number(start)).slice(0, length === undefined ? undefined : Number(length));
  const [wanted = "", other = ""] = change.split("=");
  return wanted === "" ? value : value.replaceAll(wanted, other);
}

/** Carets are taken away, and nothing may be left that the interpreter acts on. */
function interpret(line: string): string {
  let text = "";
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (!isQuoted && /[&|<>\n]/.test(character)) throw new Error(`${character} is acted on in ${line}`);
    if (character === '"') isQuoted = !isQuoted;
    text += !isQuoted && character === "^" ? line.charAt((at += 1)) : character;
  }
  return text;
}

/** @see https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments */
function splitArguments(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const [slashes = ""] = /^\\*/.exec(line.slice(at)) ?? [];
    const after = line.charAt(at + slashes.length);
    const character = line.charAt(at);
    if (slashes !== "") {
      const isEscaped = after === '"' && slashes.length % 2 === 1;
      word = (word ?? "") + slashes.slice(after === '"' ? Math.ceil(slashes.length / 2) : 0) + (isEscaped ? '"' : "");
      at += slashes.length - (isEscaped ? 0 : 1);
    } else if (character === '"' && isQuoted && line.charAt(at + 1) === '"') {
      word += '"';
      at += 1;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      word ??= "";
    } else if (character === " " && !isQuoted) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  return word === undefined ? found : [...found, word];
}
