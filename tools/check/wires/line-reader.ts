import { ReceivedMessages } from "./received-messages.ts";

/** Maximum length of a line, in characters. Longer lines are no responses to the requests of a check. */
const maxLine = 16 * 1024 * 1024;

/** Splits output into lines, each of which is one message. */
export class LineReader extends ReceivedMessages {
  #rest = "";

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, maxLine);
    for (const line of lines) this.takeText(line.replace(/\r$/, ""));
  }
}
