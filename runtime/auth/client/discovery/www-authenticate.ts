/** Challenge of a 401 or 403 response: it says how to authorize. */
export interface Challenge {
  /** Name of the scheme in lower case, such as `bearer` or `dpop`. */
  readonly scheme: string;
  /** Parameters with names in lower case. The first of repeated parameters counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Parses the challenges of a `WWW-Authenticate` header. Several challenges may share one header, and commas separate both challenges and parameters.
 * Parsing stops at the first syntax error; the challenges before it are returned.
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
    // Older schemes carry one value without a name, which is ignored here.
    rest = rest.slice(start.length).replace(/^[\w~+/.-]+=*(?=[ \t]*(,|$))/, "");
  }
  return challenges;
}

/** Returns the first challenge of one of these schemes. Earlier schemes in the list take precedence. */
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
