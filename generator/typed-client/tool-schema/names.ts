import { capitalize } from "../../internal/text.ts";

/** Converts a name to a type name: letters and digits, each word capitalized, never beginning with a digit. */
export function toTypeName(name: string): string {
  const words = wordsOf(name);
  const joined = words.map(capitalize).join("");
  if (joined === "") return "Unnamed";
  return /^\d/.test(joined) ? `N${joined}` : joined;
}

/** Converts a name to a member name, in camel case. */
export function toMemberName(name: string): string {
  const type = toTypeName(name);
  const start = /^[A-Z]{1,1000}(?=[A-Z][a-z]|$|\d)|^[A-Z]/.exec(type)?.[0] ?? "";
  return start.toLowerCase() + type.slice(start.length);
}

/** Converts a name to a file name, in kebab case and with at most 80 characters. */
export function toFileName(name: string): string {
  return (
    wordsOf(name.replaceAll(/([a-z\d])([A-Z])/g, "$1-$2"))
      .join("-")
      .toLowerCase()
      .slice(0, 80) || "unnamed"
  );
}

/** Splits a name into words. A letter after a digit begins a word, as in the names created by json-schema-to-typescript. */
function wordsOf(name: string): string[] {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  return plain
    .replaceAll(/(\d)([A-Za-z])/g, "$1 $2")
    .split(/[^A-Za-z\d]/)
    .filter((word) => word !== "");
}
