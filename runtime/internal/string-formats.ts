import { isUrl } from "./parse-url.ts";

/** Text format in the schemas of forms. */
export interface Format {
  readonly description: string;
  readonly accepts: (text: string) => boolean;
}

/** Formats of form fields by name, with their checks. */
export const formats: { readonly [Name in FormatName]: Format } = {
  email: { description: "an e-mail address", accepts: (text) => /^[^\s@]{1,1000}@[^\s@]{1,1000}$/.test(text) },
  uri: { description: "an absolute URL", accepts: (text) => isUrl(text) },
  date: { description: "a date such as 1999-12-31", accepts: isDate },
  "date-time": { description: "a time such as 1999-12-31T23:59:59Z", accepts: isDateTime },
};

/** Name of a text format in a form. */
export type FormatName = "email" | "uri" | "date" | "date-time";

/** True if a value names an enforced format. */
export function isFormat(value: unknown): value is FormatName {
  return typeof value === "string" && Object.hasOwn(formats, value);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date, hour] =
    /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,100})?(?:[Zz]|[+-]\d\d:[0-5]\d)$/.exec(text) ?? [];
  return date !== undefined && isDate(date) && Number(hour) < 24;
}
