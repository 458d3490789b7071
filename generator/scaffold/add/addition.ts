import { avoidDevice } from "../../internal/files.ts";
import { UserError } from "../../internal/user-error.ts";
import { uniqueName } from "../../internal/unique-name.ts";
import type { Registration } from "./register.ts";
import { schemaSamples, type SchemaSample } from "../create/example-tools.ts";
import { templateView } from "./template-view.ts";
import { capitalize } from "../../internal/text.ts";

/** Kinds of definitions for `add`. */
export const additions = ["tool", "resource", "prompt"] as const;

/** Kind of definition to add: `tool`, `resource` or `prompt`. */
export type Addition = (typeof additions)[number];

/** Plan of a new definition in a project: its files, its registration, and the view of its templates. */
export interface AdditionPlan {
  readonly kind: Addition;
  /** Template of its module. */
  readonly template: "tool" | "resource" | "resource-template" | "prompt";
  /** Path relative to the project, with forward slashes. */
  readonly source: string;
  readonly test: string;
  readonly registration: Registration;
  /** Value that must be unique among the definitions of a server. */
  readonly identity: { readonly definer: string; readonly member: string; readonly value: string };
  /** Entry in the tool lists read by hosts; present for tools only. */
  readonly listed?: { readonly name: string; readonly description: string };
  readonly view: object;
}

/** Definition to add. */
export interface AdditionChoice {
  readonly kind: Addition;
  readonly name: string;
  /** URI template of a resource, which then has variables. */
  readonly uriTemplate?: string;
}

/** Plans an addition. @throws {UserError} when the name or the URI template is not possible. */
export function planAddition({ kind, name, uriTemplate }: AdditionChoice, sample: SchemaSample): AdditionPlan {
  const words = readWords(kind, name);
  const file = words.join("-");
  const module = avoidDevice(file, kind);
  const isTemplate = uriTemplate !== undefined;
  const definer = `define${capitalize(kind)}${isTemplate ? "Template" : ""}`;
  const wanted = words.map((word, place) => (place === 0 ? word : capitalize(word))).join("") + capitalize(kind);
  // The file imports the definer.
  const variable = uniqueName(wanted, (taken) => taken === definer);
  const title = capitalize(words.join(" "));
  const member = `${kind}s`;
  const key = kind === "tool" ? words.join("_") : file;
  return {
    kind,
    template: isTemplate ? "resource-template" : kind,
    source: `src/${member}/${module}.ts`,
    test: `test/${file}-${kind}.test.ts`,
    registration: { member: isTemplate ? "resourceTemplates" : member, variable, from: `./${member}/${module}.ts` },
    identity: {
      definer,
      ...(isTemplate
        ? { member: "uriTemplate", value: uriTemplate }
        : kind === "resource"
          ? { member: "uri", value: `${file}://main` }
          : { member: "name", value: key }),
    },
    ...(kind === "tool" && { listed: { name: key, description: `${title}.` } }),
    view: {
      file,
      variable,
      title,
      key,
      imports: sample.imports,
      helpers: [...sample.helpers, "defineTool"].sort().join(", "),
      preparation: sample.preparation,
      input: sample.input.replace("The text to measure", "What this argument is for"),
      isTool: kind === "tool",
      isResource: kind === "resource" && !isTemplate,
      isPrompt: kind === "prompt",
      ...(isTemplate && { isTemplate, ...templateView(uriTemplate) }),
    },
  };
}

/** Finds the schema library of a project by the dependencies in its `package.json`. @throws {UserError} when it has none of the known ones. */
export function findSample(manifest: unknown): SchemaSample {
  const dependencies = new Set(namesOf(manifest));
  const found = Object.values(schemaSamples).find(({ packages }) =>
    Object.keys(packages).every((name) => dependencies.has(name)),
  );
  if (found) return found;
  const known = Object.values(schemaSamples).map(({ packages }) => Object.keys(packages).join(" and "));
  throw new UserError(`package.json depends on no known schema library. Install one: ${known.join(", or ")}.`);
}

/** Returns names from both lists: packages that become part of a bundle are often development dependencies. */
function namesOf(manifest: unknown): string[] {
  if (typeof manifest !== "object" || manifest === null) return [];
  return ["dependencies", "devDependencies"].flatMap((kind) => {
    const packages: unknown = Reflect.get(manifest, kind);
    return typeof packages === "object" && packages !== null ? Object.keys(packages) : [];
  });
}

/** Splits `read-file`, `read_file` or `readFile` into words. */
function readWords(kind: Addition, name: string): readonly string[] {
  if (name.length > longestName)
    throw new UserError(`the name of the ${kind} has ${name.length} characters; choose one of at most ${longestName}.`);
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[-_]/);
  if (words.every((word, place) => (place === 0 ? /^[a-z][a-z\d]*$/ : /^[a-z\d]+$/).test(word))) return words;
  throw new UserError(
    `${JSON.stringify(name)} cannot be the name of a ${kind}: use words of a-z and 0-9 with - or _ between them, for example word-count.`,
  );
}

/** Maximum length of a name, in characters. */
const longestName = 64;
