import { readFile } from "node:fs/promises";

/** The text of a file that a person names, without a mark at its beginning: what PowerShell writes of a command's output is often UTF-16. */
export async function readTextFile(path: string): Promise<string> {
  const bytes = await readFile(path);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}
