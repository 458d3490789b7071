import { bodyArgument, type Operation, type Parameter } from "./operation.ts";

/** Names the file of a tool imports from the shared file. */
export function helpersOf(operation: Operation | undefined, hasOutput: boolean): string[] {
  if (!operation) return ["todo"];
  const own = operation.parameters.map(writerOf);
  const writers = ["toList", "toJson", "toDeep", "toNamed"].filter((writer) => own.includes(writer));
  return [functionOf(operation, hasOutput), ...(hasOutput ? ["toOutput"] : []), ...writers];
}

/** Name of the function that calls the API. Its result is the result of the tool. */
export function functionOf({ returnsFile, output }: Operation, hasOutput: boolean): "callApi" | "readApi" | "readFile" {
  if (hasOutput) return "callApi";
  return returnsFile && !output ? "readFile" : "readApi";
}

/** Name of the function that writes several values. Repeated query parameters, and comma-separated values outside of a query, need none. */
function writerOf({ place, style }: Parameter): string {
  return style === "comma" && place !== "query" ? "" : writers[style];
}

const writers: Readonly<Record<Parameter["style"], string>> = {
  repeat: "",
  comma: "toList",
  pipe: "toList",
  space: "toList",
  deep: "toDeep",
  json: "toJson",
  named: "toNamed",
};

const separators: Partial<Record<Parameter["style"], string>> = { comma: ",", pipe: "|", space: " " };

/** Input for the text of a tool's function. */
export interface RunView {
  readonly operation: Operation | undefined;
  readonly hasInput: boolean;
  readonly result: string | undefined;
}

/** Writes the function of a tool, which sends the request of its operation. */
export function runText(name: string, { operation, hasInput, result }: RunView): string {
  if (!operation) return `execute: () => todo(${JSON.stringify(name)})`;
  const call = `${functionOf(operation, result !== undefined)}${result === undefined ? "" : `<${result}>`}`;
  const members = [
    `method: ${JSON.stringify(operation.method)}`,
    `path: ${JSON.stringify(operation.path)}`,
    ...(["path", "query", "header", "cookie"] as const).flatMap((place) => placeText(operation, place)),
    ...reservedText(operation),
    ...bodyText(operation),
    ...(operation.address === undefined ? [] : [`address: ${JSON.stringify(operation.address)}`]),
    ...(result !== undefined && operation.others ? [`others: ${JSON.stringify(operation.others)}`] : []),
    ...(operation.access.length > 0 ? [`access: ${JSON.stringify(operation.access)}`] : []),
    "signal",
  ];
  return `execute: (${hasInput ? "args" : "_args"}, { signal }) => ${call}({ ${members.join(", ")} }${result === undefined ? "" : ", response"})`;
}

function bodyText({ body }: Operation): string[] {
  if (!body) return [];
  const files = Object.keys(body.files).length > 0 ? [`files: ${JSON.stringify(body.files)}`] : [];
  const whole = body.isFile ? ["isFile: true"] : [];
  const types = Object.keys(body.types).length > 0 ? [`types: ${JSON.stringify(body.types)}`] : [];
  const styles = body.styles ? [`styles: ${JSON.stringify(body.styles)}`] : [];
  const reserved = body.reserved ? [`reserved: ${JSON.stringify(body.reserved)}`] : [];
  const value = accessText(bodyArgument);
  const type = JSON.stringify(body.type);
  const parts = [`type: ${type}`, `value: ${value}`, ...files, ...types, ...whole, ...styles, ...reserved];
  return [`body: { ${parts.join(", ")} }`];
}

const members = { path: "parameters", query: "query", header: "headers", cookie: "cookies" } as const;

function placeText({ parameters }: Operation, place: keyof typeof members): string[] {
  const own = parameters.filter((parameter) => parameter.place === place);
  if (own.length === 0) return [];
  return [`${members[place]}: { ${own.map(parameterText).join(", ")} }`];
}

function reservedText({ parameters }: Operation): string[] {
  const names = parameters.filter(({ keepsReserved }) => keepsReserved).map(({ name }) => name);
  return names.length > 0 ? [`reserved: ${JSON.stringify(names)}`] : [];
}

function parameterText(parameter: Parameter): string {
  const { name, argument, style } = parameter;
  // In an object literal, this key alone would set the prototype.
  const key = name === "__proto__" ? `["__proto__"]` : JSON.stringify(name);
  const value = accessText(argument);
  const writer = writerOf(parameter);
  if (writer === "") return `${key}: ${value}`;
  if (style === "deep") return `...${writer}(${JSON.stringify(name)}, ${value})`;
  const separator = separators[style];
  return `${key}: ${writer}(${value}${separator === undefined ? "" : `, ${JSON.stringify(separator)}`})`;
}

function accessText(argument: string): string {
  return /^[A-Za-z_]\w*$/.test(argument) ? `args.${argument}` : `args[${JSON.stringify(argument)}]`;
}
