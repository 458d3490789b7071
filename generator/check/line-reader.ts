import { Mailbox } from "./mailbox.ts";

/** Longest line that is kept. Longer lines are no responses to the requests of a check. */
const maxLine = 16 * 1024 * 1024;

/** Cuts output into lines. */
export class LineReader extends Mailbox {
  #rest = "";

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, maxLine);
    for (const line of lines) this.takeText(line.replace(/\r$/, ""));
  }
}
