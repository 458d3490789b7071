/** What a server says with 401 or 403 about how to be authorized. */
export interface Challenge {
  /** In lower case: `bearer`, `dpop`. */
  readonly scheme: string;
  /** Names in lower case; of a repeated one the first. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * The challenges of a `WWW-Authenticate` header: several may share one, and commas separate both them and their parameters. What cannot be read
 * ends the reading: what came before it stays.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function readChallenges(header: string | null): readonly Challenge[] {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  if (header === null || header.length > maxLength) return challenges;
  let rest = header;
  while ((rest = rest.replace(/^[\s,]+/, "")) !== "") {
    const current = challenges.at(-1);
    const parameter = current && readParameter(rest);
    if (current && parameter) {
      const { name, value, length } = parameter;
      if (!current.parameters.has(name)) current.parameters.set(name, value);
      rest = rest.slice(length);
      continue;
    }
    const [start = "", scheme] = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]+|(?=,)|$)/.exec(rest) ?? [];
    if (scheme === undefined) return challenges;
    challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    // Schemes of old carry one value without a name, which says nothing to us.
    rest = rest.slice(start.length).replace(/^[\w~+/.-]+=*(?=[ \t]*(,|$))/, "");
  }
  return challenges;
}

/** The first challenge of one of these schemes, the scheme named first being preferred. */
export function findChallenge(challenges: readonly Challenge[], schemes: readonly string[]): Challenge | undefined {
  for (const wanted of schemes) {
    const found = challenges.find(({ scheme }) => scheme === wanted);
    if (found) return found;
  }
  return undefined;
}

const maxLength = 16 * 1024;

interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly length: number;
}

function readParameter(text: string): Parameter | undefined {
  const match =
    /^([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+./:^_`|~\w-]+))[ \t]*(?=,|$)/s.exec(text);
  if (!match) return undefined;
  const [whole, name = "", quoted, token = ""] = match;
  const value = quoted === undefined ? token : quoted.replaceAll(/\\(.)/gs, "$1");
  return { name: name.toLowerCase(), value, length: whole.length };
}
