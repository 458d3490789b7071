/** Secrets found so far, each with a number. Equal secrets have equal numbers: a later message can refer to an earlier one. */
export class KnownSecrets {
  readonly #numbers = new Map<string, number>();
  readonly #byBeginning = new Map<string, string[]>();
  /** Marks of the beginnings, by hash: most positions of a text are passed by without a copy of their characters. */
  readonly #marks = new Uint8Array(65_536);

  get size(): number {
    return this.#numbers.size;
  }

  has(text: string): boolean {
    return this.#numbers.has(text);
  }

  /** Returns the replacement of a secret. */
  replace(secret: string): string {
    const number = this.#numbers.get(secret) ?? this.#numbers.size + 1;
    if (number > mostNumbers) return "[redacted]";
    if (!this.#numbers.has(secret)) this.#add(secret, number);
    return `[redacted ${number}]`;
  }

  /** Hides the secrets of 8 and more characters in a text. A secret that is a word is not hidden within a longer word. */
  hideIn(text: string): string {
    if (this.#byBeginning.size === 0) return text;
    let shown = "";
    let from = 0;
    for (let at = 0; at <= text.length - shortestSecret; at += 1) {
      if (this.#marks[hash(text, at)] === 0) continue;
      const secret = this.#findAt(text, at);
      if (secret === undefined) continue;
      shown += `${text.slice(from, at)}[redacted]`;
      from = at + secret.length;
      at = from - 1;
    }
    return shown + text.slice(from);
  }

  #add(secret: string, number: number): void {
    this.#numbers.set(secret, number);
    if (secret.length < shortestSecret) return;
    const beginning = secret.slice(0, shortestSecret);
    const same = this.#byBeginning.get(beginning) ?? [];
    if (same.length >= mostAlike) return;
    // The longest is searched first.
    same.push(secret);
    same.sort((one, other) => other.length - one.length);
    this.#byBeginning.set(beginning, same);
    this.#marks[hash(secret, 0)] = 1;
  }

  #findAt(text: string, at: number): string | undefined {
    const alike = this.#byBeginning.get(text.slice(at, at + shortestSecret)) ?? [];
    return alike.find((secret) => text.startsWith(secret, at) && !isPartOfWord(text, at, secret));
  }
}

/** Length from which a text may be a secret although its name does not say so. */
export const shortestSecret = 8;

/** Maximum number of secrets with a number of their own. */
const mostNumbers = 100_000;

/** Maximum number of secrets with the same beginning to search for in texts. */
const mostAlike = 16;

function hash(text: string, at: number): number {
  return (
    (text.charCodeAt(at) ^
      (text.charCodeAt(at + 1) << 3) ^
      (text.charCodeAt(at + 2) << 6) ^
      (text.charCodeAt(at + 3) << 9)) &
    0xffff
  );
}

function isPartOfWord(text: string, at: number, secret: string): boolean {
  if (!/^[A-Za-z]+$/.test(secret)) return false;
  return /\w/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(at + secret.length));
}
