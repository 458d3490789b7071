/** Published advisory about a product. */
export interface Advisory {
  /** Ids, first that of the source. */
  readonly ids: readonly string[];
  readonly product: string;
  /** Day of publication, or month where the day is not known: `YYYY-MM-DD`. */
  readonly date?: string;
  /** URL of the advisory. */
  readonly source: string;
}

/** Test that plays the attack: a file in `test/`, and the exact title of a test in it. */
export type TestReference = readonly [file: string, title: string];

/** Advisories with the same attack. */
export interface AdvisoryClass {
  readonly title: string;
  /** Action of the attacker. */
  readonly attack: string;
  /** Behaviour of this project that the tests prove. */
  readonly defence: string;
  readonly advisories: readonly Advisory[];
  readonly tests: readonly TestReference[];
}

/** Creates an entry for an advisory of a repository on GitHub, or of the database of GitHub if `repository` is empty. */
export function onGithub(
  repository: string,
  ids: readonly [ghsa: string, ...cves: string[]],
  product: string,
  date?: string,
): Advisory {
  const place = repository === "" ? "advisories" : `${repository}/security/advisories`;
  return { ids, product, source: `https://github.com/${place}/${ids[0]}`, ...(date !== undefined && { date }) };
}
