import { countText, outputLine, safeLine } from "../internal/text.ts";
import { lossLines } from "../typed-client/client/plan.ts";
import { isForeign } from "./read-address.ts";
import type { Operation } from "./operation.ts";
import type { ProjectSource } from "./source.ts";

/** Notes for the user about a source: omitted or simplified parts, missing credentials, and its size. */
export function sourceNotes(source: ProjectSource, apiFile: string): string[] {
  return [
    ...source.leftOut.map(({ name, reason }) => `left out   ${name}: ${outputLine(reason)}`),
    ...bodyLines(source),
    ...lossLines(source.plan),
    ...accessLines(source, apiFile),
    ...sizeLines(source),
  ];
}

function bodyLines({ api }: ProjectSource): string[] {
  const own = api?.operations.filter(({ omitsBody }) => omitsBody) ?? [];
  return own.map(
    ({ method, path }) =>
      `left out   body of ${method} ${safeLine(path, 100)}: fetch cannot send a body with ${method}`,
  );
}

function accessLines({ api, origin }: ProjectSource, apiFile: string): string[] {
  if (!api) return [];
  const { credentials, unusedSchemes = [], operations } = api;
  const unsupported = unsupportedLines(operations, apiFile);
  if (credentials.length === 0 && unsupported.length === 0)
    return [`no auth    ${origin} declares no credentials; if the API needs a token, add it in ${apiFile}`];
  if (unusedSchemes.length === 0) return unsupported;
  const [used, others] = [credentials.map(({ scheme }) => scheme), unusedSchemes].map(listNames);
  return [`access     uses ${used}; ${origin} also accepts ${others}: edit ${apiFile} to use it`, ...unsupported];
}

/** Names each security scheme that cannot be sent, with its operations. */
function unsupportedLines(operations: readonly Operation[], apiFile: string): string[] {
  const schemes = new Set(operations.flatMap(({ unsupported }) => unsupported));
  return [...schemes].map((scheme) => {
    const own = operations.filter(({ unsupported }) => unsupported.includes(scheme));
    const names = own.map(({ method, path }) => `${method} ${path}`);
    const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} others`] : names;
    return `no auth    ${safeLine(scheme, 80)} cannot be sent; add it in ${apiFile} for ${listNames(shown)}`;
  });
}

function listNames(names: readonly string[]): string {
  const shown = names.map((name) => safeLine(name, 60));
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

function sizeLines({ api, contract: { tools } }: ProjectSource): string[] {
  const open = api?.operations.filter(({ isOpen }) => isOpen).length ?? 0;
  const foreign = api?.operations.filter(({ address }) => isForeign(address, api.address)) ?? [];
  const parts = "the inner levels of their schemas accept any value, because they are too large";
  return [
    ...foreign.map(({ name, address = "" }) => {
      return `other host ${safeLine(name, 80)}: the document names ${safeLine(address)}; no credentials are sent there`;
    }),
    ...(open === 0 ? [] : [`widened    ${countText(open, "tool")}: ${parts}`]),
    ...(tools.length <= manyTools ? [] : [`${tools.length} tools are more than most models can handle: ${fewer}`]),
  ];
}

/** Number of tools above which hosts begin to reject them, and models to choose wrong ones. */
const manyTools = 100;

const fewer = "--only takes comma-separated tags, names or paths; * matches any text.";
