import { stat } from "node:fs/promises";
import { parseDocument } from "yaml";
import { quoteForShell } from "../internal/text.ts";
import { readTextFile } from "../internal/files.ts";
import { rejectHugeFile } from "../typed-client/tool-schema/bounds.ts";
import { explainCause, UserError } from "../internal/user-error.ts";
import { isUrl } from "../../runtime/internal/parse-url.ts";

/** Maximum size of a description, in bytes. */
const maximum = 20_000_000;

/**
 * Reads a file of JSON or YAML as data. References in it are neither read nor fetched.
 *
 * @throws {UserError} when the file is broken, too large or nested too deep; the message names the place.
 */
export async function readDocument(path: string): Promise<unknown> {
  const text = await readText(path);
  rejectOther(path, text);
  const value = /^\s*[{[]/.test(text) ? parseJson(text, path) : parseYaml(text, path);
  rejectHugeFile(value, path);
  return value;
}

async function readText(path: string): Promise<string> {
  rejectAddress(path);
  try {
    const { size } = await stat(path);
    if (size > maximum)
      throw new UserError(`${path} has more than ${maximum / 1e6} MB; remove the parts that no tool needs.`);
    return await readTextFile(path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${path} cannot be read (${explainCause(error)}); check the path.`, { cause: error });
  }
}

/** Rejects addresses. The content of an address may change; a file can be inspected, and kept beside the project. */
function rejectAddress(path: string): void {
  if (!/^https?:\/\//i.test(path) || !isUrl(path)) return;
  const name =
    new URL(path).pathname
      .split("/")
      .at(-1)
      ?.match(/^[\w.-]+$/)?.[0] ?? "openapi.json";
  throw new UserError(
    `Addresses are not fetched; download the document first with \`curl -o ${name} ${quoteForShell(path)}\`, then use ${name}.`,
  );
}

/** Rejects files of other kinds, whose syntax errors would say little. */
function rejectOther(path: string, text: string): void {
  if (/^\s*\{[^\n]*"format":\s*"mcp-recording"/.test(text))
    throw new UserError(
      `${path} is a recording; generate a client from it with client --from, or serve it with replay.`,
    );
  if (/^\uFEFF?\s*<(?:!doctype\s+html|html)\b/i.test(text))
    throw new UserError(`${path} is a page in HTML; pass the OpenAPI document that it shows, in JSON or YAML.`);
  if (/\.[cm]?[jt]sx?$/.test(path))
    throw new UserError(`${path} is a program; pass an OpenAPI document, tools.json or mcp.client.lock.json.`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`${path} is not JSON: ${explainCause(error)}`, { cause: error });
  }
}

/** Parses YAML. The library limits aliases, so a small file cannot become a huge value. */
function parseYaml(text: string, path: string): unknown {
  try {
    const parsed = parseDocument(text, { prettyErrors: true, merge: true });
    const [problem] = parsed.errors;
    // The library reports an exhausted stack with this code.
    if (problem?.code === "RESOURCE_EXHAUSTION") throw new RangeError(problem.message);
    if (problem) throw problem;
    const value: unknown = parsed.toJS();
    return value;
  } catch (error) {
    // The place in the text follows the message, which names its line and column.
    const [message = ""] = error instanceof Error ? error.message.split(":\n") : [];
    const reason = error instanceof RangeError ? "it is nested too deep" : message;
    throw new UserError(`${path} is not YAML: ${reason}`, { cause: error });
  }
}
