/*
 * Secrets in texts that contain JSON. Strings are scanned by hand: a pattern for them exceeds the stack of the engine in texts of several megabytes.
 */

/**
 * Hides the values of secret members in a text with JSON, also in lists and objects. Everything else stays as it is.
 *
 * @param onHidden - receives each hidden string, as it is in the text
 */
export function hideMembers(
  text: string,
  isSecret: (name: string) => boolean,
  onHidden: (literal: string) => void,
): string {
  const members = new RegExp(memberName);
  let hidden = "";
  let end = 0;
  for (let match = members.exec(text); match; match = members.exec(text)) {
    const [, name = ""] = match;
    const begin = members.lastIndex;
    if (!isSecret(name)) {
      // A list or an object may contain secret members.
      if (text[begin] === '"') members.lastIndex = findStringEnd(text, begin);
      continue;
    }
    members.lastIndex = isOpening(text[begin]) ? findClosing(text, begin) : findScalarEnd(text, begin);
    hidden += text.slice(end, begin) + hideValues(text.slice(begin, members.lastIndex), onHidden);
    end = members.lastIndex;
  }
  return hidden + text.slice(end);
}

/** Replaces the strings in a text with JSON. An unfinished string ends with the text. */
export function mapStrings(text: string, map: (literal: string) => string): string {
  let mapped = "";
  let end = 0;
  for (let begin = text.indexOf('"'); begin >= 0; begin = text.indexOf('"', end)) {
    const next = findStringEnd(text, begin);
    mapped += text.slice(end, begin) + map(text.slice(begin, next));
    end = next;
  }
  return mapped + text.slice(end);
}

function isOpening(character: string | undefined): boolean {
  return character === "[" || character === "{";
}

/** Returns the position after a string; the end of the text if it is not complete. */
function findStringEnd(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') return at + 1;
    if (character === "\\") at += 1;
  }
  return text.length;
}

/** Returns the position after a string or a number. */
function findScalarEnd(text: string, begin: number): number {
  if (text[begin] === '"') return findStringEnd(text, begin);
  let end = begin + 1;
  while (end < text.length && numberCharacters.includes(text.charAt(end))) end += 1;
  return end;
}

/** Returns the position after a list or an object; the end of the text if it is not complete. */
function findClosing(text: string, opening: number): number {
  let depth = 0;
  for (let at = opening; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = findStringEnd(text, at) - 1;
    else if (isOpening(character)) depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** Hides all strings and numbers in a part of JSON. A string with a colon after it is the name of a member. */
function hideValues(json: string, onHidden: (literal: string) => void): string {
  const values = new RegExp(valueBegin);
  let hidden = "";
  let end = 0;
  for (let match = values.exec(json); match; match = values.exec(json)) {
    const { index } = match;
    values.lastIndex = findScalarEnd(json, index);
    const isString = json[index] === '"';
    if (isString && /^\s*:/.test(json.slice(values.lastIndex, values.lastIndex + longestGap))) continue;
    if (isString) onHidden(json.slice(index, values.lastIndex));
    hidden += `${json.slice(end, index)}${isString ? '"[redacted]"' : "0"}`;
    end = values.lastIndex;
  }
  return hidden + json.slice(end);
}

/** Name of a member before a string, a number, a list or an object. */
const memberName = /"([\w.@/$ -]{1,100})"\s{0,100}:\s{0,100}(?=["\d[{]|-\d)/g;

const valueBegin = /"|-?\d/g;

const numberCharacters = "0123456789.eE+-";

/** Maximum characters between the name of a member and its colon. */
const longestGap = 100;
