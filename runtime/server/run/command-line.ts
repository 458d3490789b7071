import { parseArgs } from "node:util";
import type { PortOptions } from "./port-options.ts";

/** Transports that a program can serve: stdin and stdout, HTTP, or either of them. */
export type Service = "stdio" | "http" | "either";

/** Result of parsing a command line. */
export interface CommandLine {
  /** Values of `--http` and of the options of further transports, by name; `true` for an option without a value. */
  readonly ports: PortOptions;
  /** Text that `--help` or `--version` prints. */
  readonly text?: string;
  /** Error message for the first unknown option. */
  readonly problem?: string;
}

/** Program and its transports, which determine its options. */
export interface Program {
  readonly info: { readonly name: string; readonly version: string };
  readonly service: Service;
  /** Names of further transports: each is an option that takes a port. */
  readonly further: readonly string[];
}

/** Parses the options of a server. Positional arguments are ignored: they belong to the program. */
export function readCommandLine(args: readonly string[], { info, service, further }: Program): CommandLine {
  const ofPorts = [...(service === "stdio" ? [] : ["http"]), ...further];
  const known = { ...common, ...Object.fromEntries(ofPorts.map((name) => [name, { type: "string" }] as const)) };
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true });
  const given = tokens.filter((token) => token.kind === "option");
  const unknown = given.find(({ name }) => !Object.hasOwn(known, name));
  const ports = new Map(
    given.filter(({ name }) => ofPorts.includes(name)).map(({ name, value }) => [name, value ?? true] as const),
  );
  const problem = `${info.name}: Unknown option ${unknown?.rawName}; see --help\n`;
  if (unknown) return { ports, problem };
  const has = (name: string): boolean => given.some((option) => option.name === name);
  if (has("help")) return { ports, text: helpText({ info, service, further }) };
  if (has("version")) return { ports, text: `${info.version}\n` };
  return { ports };
}

const common = { help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "v" } } as const;

function helpText({ info, service, further }: Program): string {
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
  ];
  const variables = [
    ...(isOnStdio ? [] : [["MCP_HTTP_PORT", "same as --http"]]),
    ...(isOnStdio ? [] : [["PORT", isEither ? "same as --http, unless stdin is a pipe" : "same as --http"]]),
    ["HOST", "address to listen on; default 127.0.0.1"],
    ["ALLOWED_HOSTS", "allowed host names of this server, comma-separated"],
  ];
  return [
    `${info.name} ${info.version}: a Model Context Protocol server ${places[service]}`,
    "",
    "Options:",
    ...options.map(toLine),
    ...(hasHosts ? ["", "Environment:", ...variables.map(toLine)] : []),
    "",
  ].join("\n");
}

const places: Readonly<Record<Service, string>> = {
  stdio: "on stdin and stdout",
  http: "over HTTP",
  either: "on stdin and stdout",
};

function toLine([name = "", use = ""]: readonly string[]): string {
  return `  ${name.padEnd(18)}${use}`;
}
