/** One thing that a reader of a guide does, in the order of the text. */
export type Step =
  /** Lines typed into a shell, and what they print according to the guide; `…` stands for anything. */
  | { readonly kind: "shell"; readonly lines: readonly string[]; readonly prints: readonly string[] }
  /** A file of the guide's project. */
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  /** A module that stands alone. */
  | { readonly kind: "module"; readonly text: string };

/** Reads the steps of a guide: its fenced blocks. A word after the language is the path of a file. */
export function readSteps(markdown: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, language = "", path, text = ""] of markdown.matchAll(/^```(\w+)(?: +(\S+))?\n([\s\S]*?)^```$/gm)) {
    if (language === "text") addOutput(steps, text);
    else steps.push(toStep(language, path, text));
  }
  return steps;
}

function toStep(language: string, path: string | undefined, text: string): Step {
  if (language === "sh") return { kind: "shell", lines: toLines(text), prints: [] };
  if (path !== undefined) return { kind: "file", path, text };
  if (language === "ts") return { kind: "module", text };
  throw new Error(`A block of ${language} has no path: say which file it is.`);
}

/** Adds a block of text as the output of the commands before it. */
function addOutput(steps: Step[], text: string): void {
  const last = steps.pop();
  if (last?.kind !== "shell") throw new Error("A block of text follows no block of sh: say what prints it.");
  steps.push({ ...last, prints: text.split("\n").filter((line) => line.trim() !== "") });
}

/** Commands without what is said about them; a backslash goes on in the next line. */
function toLines(text: string): readonly string[] {
  return text
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/(^|\s+)#.*$/, "").trim())
    .filter((line) => line !== "");
}
