/** Patterns as a stranger might write them, and texts that make engines work. The same for the same seed. */
export interface PatternSource {
  readonly pattern: () => string;
  /** A text of this length. */
  readonly text: (length: number) => string;
}

/** Patterns that a backtracking engine needs polynomial or exponential time for. */
export const slowPatterns: readonly string[] = [
  "^(a+)+$",
  `${"a?".repeat(30)}${"a".repeat(30)}b$`,
  "^((a?){9}){9}b$",
  `^${"a{0,9}".repeat(20)}b$`,
  "^a*a*a*a*b$",
  "a+b",
  "^(?:a|a)*$",
  "^(?:(?:a?|b?)(?:c?|d?))*e$",
  "^(?:[ab]{0,160}a[ab]{160})*[cd]",
  "[ab]*a[ab]{20}[cd]",
  "[ab]*a[ab]{320}[cd]",
];

const atoms = [
  ...["a", "b", "c", "ab", "-", "@", ".", "\\.", "[ab]", "[^a]", "[a-z]", "[^\\s@]"],
  ...["\\w", "\\d", "\\s", "\\S", "é", "\\p{L}", "\\P{Lu}", "\\u{1F600}"],
];
const assertions = ["\\b", "\\B", "^", "$"];

/** Quantifiers; the small ones keep what a backtracking engine has to do small, too. */
export const quantifiers = {
  small: ["*", "+", "?", "{0,2}", "{2,}", "{1,3}", "{3}", "*?"],
  all: ["*", "+", "?", "{0,9}", "{2,}", "{1,3}", "{3}", "{0,30}", "{10}", "{1,100}", "{500}", "{0,1000}", "*?", "+?"],
} as const;

const units = ["a", "ab", "aab", "a-", "a@", "a b", "é", "1", "😀", "-", "."];

/** Makes patterns and texts out of a seed. */
export function createPatternSource(seed: number, sizes: keyof typeof quantifiers): PatternSource {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 0x7f_ff_ff_ff;
    return state / 0x7f_ff_ff_ff;
  };
  const pick = <T>(list: readonly [T, ...T[]] | readonly T[]): T => {
    const found = list[Math.floor(random() * list.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  const several = (most: number, depth: number): string[] =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => part(depth - 1));
  const part = (depth: number): string => {
    const choice = random();
    if (depth === 0 || choice < 0.2) return pick(atoms);
    if (choice < 0.5) return several(4, depth).join("");
    if (choice < 0.65) return `(?:${several(4, depth).join("|")})`;
    return choice < 0.68 ? pick(assertions) : `(?:${part(depth - 1)})${pick(quantifiers[sizes])}`;
  };
  return {
    pattern: () => `${random() < 0.6 ? "^" : ""}${part(4)}${random() < 0.3 ? part(3) : ""}${random() < 0.6 ? "$" : ""}`,
    text: (length) => {
      if (random() < 0.3) return Array.from({ length }, () => pick(["a", "b"])).join("");
      if (random() < 0.3)
        return Array.from({ length }, () => pick([...units.join(""), "!"]))
          .join("")
          .slice(0, length);
      const unit = pick(units);
      const body = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      return random() < 0.5 ? body : `${body.slice(0, -1)}!`;
    },
  };
}
