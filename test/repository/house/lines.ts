import { ts, type SourceFile } from "ts-morph";
import { isIn, pathOf } from "../architecture/sources.ts";
import { atMost, partOf, type Figure } from "./figure.ts";

/** Returns the figures of files and their lines. */
export function measureLines(files: readonly SourceFile[]): Figure[] {
  const runtime = files.filter((file) => isIn(file, "runtime"));
  const tasks = runtime.filter((file) => pathOf(file).includes("/tasks/"));
  const http = runtime.filter((file) => isIn(file, "runtime/transport/http-server"));
  const naming = http.flatMap((file) => codeLinesOf(file.getFullText()).filter((line) => /cluster/i.test(line)));
  return [
    atMost(
      "runtime: files of at most 40 lines",
      runtime.filter((file) => linesOf(file.getFullText()) <= 40).length,
      90,
    ),
    partOf("files", runtime.length),
    atMost("tasks: files", tasks.length, 22),
    partOf(
      "lines",
      tasks.reduce((sum, file) => sum + linesOf(file.getFullText()), 0),
    ),
    atMost("HTTP server: lines of code that name the cluster", naming.length, 0),
  ];
}

/** Counts the lines of a text that ends with a line break. */
export function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

/** Returns the lines with code, without their comments. */
export function codeLinesOf(text: string): string[] {
  const file = ts.createSourceFile("lines.ts", text, ts.ScriptTarget.Latest, true);
  let code = text;
  const blank = (node: ts.Node): void => {
    const before = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const after = ts.getTrailingCommentRanges(text, node.getEnd()) ?? [];
    for (const { pos, end } of [...before, ...after])
      code = code.slice(0, pos) + code.slice(pos, end).replaceAll(/[^\n]/g, " ") + code.slice(end);
    for (const child of node.getChildren()) blank(child);
  };
  blank(file);
  return code.split("\n").filter((line) => line.trim() !== "");
}
