import { loadParseArgs } from "../../transport/stdio/node-modules.ts";
import type { SettingVariable } from "../settings/setting-variable.ts";
import type { PortOptions } from "./port-options.ts";

/** Transports of a program: stdin and stdout, HTTP, or either of them. */
export type Service = "stdio" | "http" | "either";

/** Result of parsing a command line. */
export interface CommandLine {
  /** Values of `--http` and of the options of further transports, by name; `true` for an option without a value. */
  readonly ports: PortOptions;
  /** Text printed by `--help` or `--version`. */
  readonly text?: string;
  /** Error message for the first unknown option. */
  readonly problem?: string;
}

/** Program and its transports, which determine its options. */
export interface Program {
  readonly info: { readonly name: string; readonly version: string };
  readonly service: Service;
  /** Names of further transports: each is an option with a port. */
  readonly further: readonly string[];
  /** Settings of the server, with which `--settings` is an option. */
  readonly settings?: readonly SettingVariable[] | undefined;
}

/** Parses the options of a server. Positional arguments are ignored: they belong to the program. */
export function readCommandLine(args: readonly string[], program: Program): CommandLine {
  const { info, service, further, settings } = program;
  const ofPorts = [...(service === "stdio" ? [] : ["http"]), ...further];
  const known = {
    ...common,
    ...(settings && ofSettings),
    ...Object.fromEntries(ofPorts.map((name) => [name, { type: "string" }] as const)),
  };
  const { tokens } = loadParseArgs()({ args: [...args], options: known, strict: false, tokens: true });
  const given = tokens.filter((token) => token.kind === "option");
  const unknown = given.find(({ name }) => !Object.hasOwn(known, name));
  const ports = new Map(
    given.filter(({ name }) => ofPorts.includes(name)).map(({ name, value }) => [name, value ?? true] as const),
  );
  if (unknown) return { ports, problem: `${info.name}: ${describeUnknown(unknown, program)}\n` };
  const has = (name: string): boolean => given.some((option) => option.name === name);
  if (has("help")) return { ports, text: helpText(program) };
  if (has("version")) return { ports, text: `${info.version}\n` };
  if (has("settings")) return { ports, text: `${JSON.stringify({ settings })}\n` };
  return { ports };
}

const common = { help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } } as const;
const ofSettings = { settings: { type: "boolean" } } as const;

/** Describes an unknown option. For the option of another transport, the text names the command to add this transport. */
function describeUnknown(
  { name, rawName }: { readonly name: string; readonly rawName: string },
  { service, further }: Program,
): string {
  const isTransport = ["http", "tcp", "websocket"].includes(name);
  const present = { stdio: ["stdio"], http: ["http"], either: ["stdio", "http"] }[service];
  const remedy = `to add it: npx create-mcp-server update --transport ${[...present, ...further, name].join(",")}`;
  return isTransport ? `The server has no ${rawName}; ${remedy}` : `Unknown option ${rawName}; see --help`;
}

function helpText({ info, service, further, settings = [] }: Program): string {
  const isOnStdio = service === "stdio";
  const isEither = service === "either";
  const hasHosts = !isOnStdio || further.some((name) => name !== "tcp");
  const options = [
    ...(isOnStdio
      ? []
      : [
          [
            "--http PORT",
            isEither ? "serve over HTTP on this port instead of stdio" : "port to listen on; default 3000",
          ],
        ]),
    ...further.map((name) => [`--${name} PORT`, `serve over ${name} on this port`]),
    ["-h, --help", "print this help"],
    ["-v, --version", "print the version"],
    ...(settings.length > 0 ? [["--settings", "print the settings as JSON"]] : []),
  ];
  const transports = [
    ...(isOnStdio ? [] : [["MCP_HTTP_PORT", "same as --http"]]),
    ...(isOnStdio ? [] : [["PORT", isEither ? "same as --http, unless stdin is a pipe" : "same as --http"]]),
    ["HOST", "address to listen on; default 127.0.0.1"],
    ["ALLOWED_HOSTS", "allowed host names of this server, comma-separated"],
  ];
  const variables = [
    ...settings.map((variable) => [variable.name, describeVariable(variable)]),
    ...(hasHosts ? transports : []),
  ];
  const width = Math.max(16, ...variables.map(([name = ""]) => name.length)) + 2;
  return [
    `${info.name} ${info.version}: a Model Context Protocol server ${places[service]}`,
    "",
    "Options:",
    ...options.map((row) => toLine(row, width)),
    ...(variables.length > 0 ? ["", "Environment:", ...variables.map((row) => toLine(row, width))] : []),
    "",
  ].join("\n");
}

const places: Readonly<Record<Service, string>> = {
  stdio: "on stdin and stdout",
  http: "over HTTP",
  either: "on stdin and stdout",
};

function toLine([name = "", use = ""]: readonly string[], width: number): string {
  return `  ${name.padEnd(width)}${use}`.trimEnd();
}

/** Returns the description of a setting, and the facts its value depends on. */
function describeVariable({ description, isRequired, isSecret, choices, ...rest }: SettingVariable): string {
  const parts = [
    ...(description === undefined ? [] : [description.replace(/\.$/, "")]),
    ...(isRequired ? ["required"] : []),
    ...(choices ? [`one of ${choices.join(", ")}`] : []),
    ...(rest.default === undefined || rest.default === "" || isSecret ? [] : [`default ${rest.default}`]),
  ];
  return parts.join("; ");
}
