/**
 * True if an `Accept` header admits all of these media types. Without the header everything is admitted.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export function accepts(header: string | undefined, types: readonly MediaType[]): boolean {
  if (header === undefined || header === usualAccept) return true;
  const ranges = header.split(",");
  return types.every((type) => ranges.some((range) => admits(range, type)));
}

/** Media types of responses. */
export type MediaType = "application/json" | "text/event-stream";

/** True if a `Content-Type` header means JSON in UTF-8. */
export function isJson(header: string | undefined): boolean {
  if (header === "application/json") return true;
  const [type = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  if (type.trim() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name = "", value = ""] = parameter.split("=");
    return name.trim() !== "charset" || /^"?utf-?8"?$/.test(value.trim());
  });
}

/** Value of the `Accept` header of nearly every client: all media types of responses. */
const usualAccept = "application/json, text/event-stream";

function admits(range: string, type: MediaType): boolean {
  const [name = "", ...parameters] = range.toLowerCase().split(";");
  const wanted = name.trim();
  const isMatch = wanted === type || wanted === "*/*" || wanted === `${type.slice(0, type.indexOf("/"))}/*`;
  return isMatch && !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter));
}
