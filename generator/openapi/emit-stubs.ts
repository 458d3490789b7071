import { commentText } from "../internal/text.ts";
import type { ClientPlan } from "../typed-client/client/plan.ts";
import { toFileName, toMemberName } from "../typed-client/tool-schema/names.ts";
import { createNamer } from "../internal/unique-name.ts";
import type { ProjectSource } from "./source.ts";
import type { StubKinds } from "./stub-kinds.ts";

/** A definition without an implementation. */
interface Stub {
  readonly file: string;
  readonly variable: string;
  readonly helper: "definePrompt" | "defineResource" | "defineResourceTemplate";
  readonly name: string;
  readonly members: readonly string[];
}

/** Writes typed prompts and resources without implementations. Returns the files by path. */
export function emitStubs({ plan, contract }: ProjectSource, kinds: StubKinds, layer: string): [string, string][] {
  const prompts = kinds.prompts ? promptStubs(plan) : [];
  const name = createNames();
  const resources = kinds.resources
    ? contract.resources.map((entry): Stub => {
        const members = [`uri: ${JSON.stringify(entry.uri)}`, ...describedMembers(entry)];
        return { ...name(entry.name, "Resource"), helper: "defineResource", name: entry.uri, members };
      })
    : [];
  const templates = kinds.templates
    ? plan.templates.map(({ entry }): Stub => {
        const members = [`uriTemplate: ${JSON.stringify(entry.uriTemplate)}`, ...describedMembers(entry)];
        return { ...name(entry.name, "Template"), helper: "defineResourceTemplate", name: entry.uriTemplate, members };
      })
    : [];
  const lists = [
    ...(kinds.resources ? [listText("resources", "resources", resources)] : []),
    ...(kinds.templates ? [listText("resourceTemplates", "resources", templates)] : []),
  ];
  return [
    ...prompts.map((stub) => fileOf("prompts", stub, layer)),
    ...[...resources, ...templates].map((stub) => fileOf("resources", stub, layer)),
    ...(kinds.prompts ? [joined("src/prompts.ts", [listText("prompts", "prompts", prompts)])] : []),
    ...(lists.length > 0 ? [joined("src/resources.ts", lists)] : []),
  ];
}

function promptStubs({ prompts }: ClientPlan): Stub[] {
  const name = createNames();
  return prompts.map(({ entry }): Stub => {
    const rows = entry.arguments.map(({ name: argument, description, required }) => {
      const own = [...textMember("description", description), ...(required ? ["required: true"] : [])];
      return `${JSON.stringify(argument)}: { ${own.join(", ")} }`;
    });
    const members = [
      `name: ${JSON.stringify(entry.name)}`,
      ...textMember("description", entry.description),
      ...(rows.length > 0 ? [`arguments: { ${rows.join(", ")} }`] : []),
    ];
    return { ...name(entry.name, "Prompt"), helper: "definePrompt", name: entry.name, members };
  });
}

function fileOf(folder: string, { file, variable, helper, name, members }: Stub, layer: string): [string, string] {
  const todo = `${helper === "definePrompt" ? "get" : "read"}: () => todo(${JSON.stringify(name)})`;
  const kind = { definePrompt: "Prompt", defineResource: "Resource", defineResourceTemplate: "Resources" }[helper];
  const text = [
    `import { ${helper} } from "../${layer}";\nimport { todo } from "../todo.ts";`,
    `${commentText(`${kind} ${name}: not implemented yet.`)}export const ${variable} = ${helper}({ ${[...members, todo].join(", ")} });`,
  ].join("\n\n");
  return [`src/${folder}/${file}.ts`, text];
}

interface List {
  readonly imports: readonly string[];
  readonly text: string;
}

function listText(name: string, folder: string, stubs: readonly Stub[]): List {
  return {
    imports: stubs.map(({ variable, file }) => `import { ${variable} } from "./${folder}/${file}.ts";`),
    text: `export const ${name} = [${stubs.map(({ variable }) => variable).join(", ")}] as const;`,
  };
}

function joined(path: string, lists: readonly List[]): [string, string] {
  return [path, [...lists.flatMap(({ imports }) => imports), ...lists.map(({ text }) => `\n${text}`)].join("\n")];
}

function describedMembers(entry: {
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}): string[] {
  const { name, description, mimeType } = entry;
  return [
    `name: ${JSON.stringify(name)}`,
    ...textMember("description", description),
    ...textMember("mimeType", mimeType),
  ];
}

function textMember(key: string, text: string | undefined): string[] {
  return text === undefined ? [] : [`${key}: ${JSON.stringify(text)}`];
}

/** Creates unique names of files and constants. A suffix keeps constants apart from reserved words and from imported names in a file. */
function createNames(): (name: string, ending: string) => Pick<Stub, "file" | "variable"> {
  const taken = new Set(["defineresource", "defineresourcetemplate", "defineprompt"]);
  const [file, variable] = [createNamer(toFileName, taken), createNamer((name) => name, taken)];
  return (name, ending) => ({
    file: file(`${name} ${ending}`),
    variable: variable(`${toMemberName(name)}${ending}`),
  });
}
