import { readFile } from "node:fs/promises";

/**
 * Reads the text of a file that the user names, without a byte order mark. It supports UTF-16, because PowerShell often writes the output of a
 * command in it.
 */
export async function readTextFile(path: string): Promise<string> {
  const bytes = await readFile(path);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}
