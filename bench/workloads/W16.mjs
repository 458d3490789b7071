// W16 editor: completions and errors of the language server of TypeScript 7 in the project of W14, after edits in its last tool.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startLanguageServer } from "../lib/language-server.mjs";
import { table } from "../lib/report.mjs";
import { mapValues, median } from "../lib/stats.mjs";
import { applies, COUNT, measureProjects } from "./W14.mjs";

export { applies };
export const title = `completions and errors of an editor in a server with ${COUNT} tools`;

const EDITS = 5;
/** Members that the function of the last tool takes from its arguments. */
const pattern = "({ text, count }";
const optional = `mode${COUNT - 1}`;

/** One session of an editor: it opens the file, then completes and checks after edits. The first answer of each kind is not measured. */
async function edit(folder) {
  const file = path.join(folder, "src", "server.ts");
  const original = readFileSync(file, "utf8");
  const at = original.lastIndexOf(pattern);
  const use = original.indexOf("text.length", at);
  const server = await startLanguageServer(folder);
  const uri = pathToFileURL(file).href;
  const textDocument = { uri };
  let version = 1;
  const write = (text) => {
    version += 1;
    server.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
  };
  const measure = async (text, ask) => {
    const cpu = server.cpuSeconds();
    const start = performance.now();
    write(text);
    const answer = await ask();
    return { answer, ms: performance.now() - start, cpuMs: (server.cpuSeconds() - cpu) * 1e3 };
  };
  const check = async () => (await server.request("textDocument/diagnostic", { textDocument })).items;

  try {
    const start = performance.now();
    server.notify("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version, text: original } });
    expectErrors(await check(), []);
    const opened = performance.now() - start;

    const completions = [];
    const errors = [];
    for (let n = 0; n <= EDITS; n += 1) {
      const cursor = at + pattern.length - " }".length;
      const opening = `${" ".repeat(n)}, `;
      const completing = original.slice(0, cursor) + opening + original.slice(cursor);
      const position = positionOf(completing, cursor + opening.length);
      const proposed = await measure(completing, () =>
        server.request("textDocument/completion", { textDocument, position }),
      );
      const names = (proposed.answer?.items ?? proposed.answer ?? []).map(({ label }) => label.replace(/\?$/, ""));
      if (!names.includes(optional)) throw new Error(`the completion has no ${optional}, but ${names.slice(0, 10)}`);
      completions.push(proposed);

      const wrong = `wrong${n}`;
      const checked = await measure(
        `${original.slice(0, use)}text.${wrong}${original.slice(use + "text.length".length)}`,
        check,
      );
      expectErrors(checked.answer, [wrong]);
      errors.push(checked);
    }
    write(original);
    expectErrors(await check(), []);
    const of = (list, name) => median(list.slice(1).map((one) => one[name]));
    return {
      opened,
      completion: of(completions, "ms"),
      completionCpu: of(completions, "cpuMs"),
      error: of(errors, "ms"),
      errorCpu: of(errors, "cpuMs"),
    };
  } finally {
    await server.stop();
  }
}

/** Fails unless each error names one of the words, in their order. */
function expectErrors(items, words) {
  const messages = items.filter(({ severity }) => severity === 1).map(({ message }) => message);
  if (messages.length !== words.length || !words.every((word, n) => messages[n].includes(word)))
    throw new Error(
      `errors about ${words.join(", ") || "nothing"} were expected: ${messages.join("; ").slice(0, 300)}`,
    );
}

function positionOf(text, offset) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before.at(-1).length };
}

export const run = (list, { reps = 3, ...options }) => measureProjects(list, { reps, ...options }, edit);

export const figures = ({ result }) => {
  const figure = (id, what, name, more = {}) => ({
    id,
    subject: "ours",
    title: what,
    unit: "ms",
    better: "lower",
    ...more,
    values: mapValues(result, ({ reps }) => reps.map((one) => one[name])),
  });
  return [
    figure("editor-completion", `Completion in the last of ${COUNT} tools, after an edit`, "completion"),
    figure("editor-error", `Error in the last of ${COUNT} tools, after an edit`, "error"),
  ];
};

export function render({ result }, list) {
  const rows = list.flatMap((a) => {
    const m = result[a.id]?.median;
    return m ? [[a.label, m.opened, m.completion, m.completionCpu, m.error, m.errorCpu]] : [];
  });
  return table(["tools of", "open ms", "completion ms", "CPU ms", "error ms", "CPU ms"], rows);
}
