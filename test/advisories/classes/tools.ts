import { onGithub, type AdvisoryClass } from "../advisory-class.ts";

const servers = "modelcontextprotocol/servers";
const stdio = "runtime/transport/stdio";

/** Attacks on files, processes, generated code and terminals. */
export const tools: readonly AdvisoryClass[] = [
  {
    title: "Commands in URLs and names",
    attack:
      "A server names a URL or a text that reaches a shell: when a browser is opened, when a program is started, or when a host is configured.",
    defence:
      "Programs are started with a list of arguments, which no shell interprets; those of scripts on Windows are quoted for their interpreter, and an argument with a line break is rejected. A browser opens `http` and `https` URLs only.",
    advisories: [
      onGithub("", ["GHSA-6xpm-ggf7-wc3p", "CVE-2025-6514"], "mcp-remote", "2025-07-09"),
      onGithub("", ["GHSA-gxw4-4fc5-9gr5", "CVE-2025-53967"], "Framelink Figma MCP", "2025-09-30"),
      onGithub("CherryHQ/cherry-studio", ["GHSA-8xr5-732g-84px", "CVE-2025-54074"], "Cherry Studio", "2025-08-13"),
      onGithub("", ["GHSA-rj5c-58rq-j5g5", "CVE-2025-62801"], "FastMCP, installation in hosts", "2025-10-29"),
      onGithub("", ["GHSA-m8x7-r2rg-vh5g", "CVE-2025-64340"], "FastMCP, installation in hosts", "2026-03-31"),
    ],
    tests: [
      ["runtime/auth/client/network.test.ts", "a browser is not opened for %s"],
      ["runtime/auth/client/network.test.ts", "a browser is opened by a program of the platform, without a shell"],
      [`${stdio}/child-process.program.test.ts`, "arguments are not interpreted by a shell (R28)"],
      [`${stdio}/command.test.ts`, "an argument with a line break is rejected, not cut off: %j"],
      [`${stdio}/command.test.ts`, "the program gets every argument of up to three special characters unchanged"],
      ["generator/scaffold/extras/host-files.test.ts", "an argument is quoted on Windows for both of its shells: %s"],
    ],
  },
  {
    title: "Environment of child processes",
    attack: "A server that a client starts reads the keys of all other services from its environment.",
    defence: "A server gets the few variables that every program needs, and those that are given to it.",
    advisories: [onGithub("", ["GHSA-pj2r-f9mw-vrcq", "CVE-2026-40159"], "PraisonAI", "2026-04-10")],
    tests: [
      [
        `${stdio}/child-process.program.test.ts`,
        "a server gets few environment variables, and those that are given (R28)",
      ],
      [
        `${stdio}/command.test.ts`,
        "only harmless variables are inherited, whatever the letter case of their names (R28)",
      ],
    ],
  },
  {
    title: "Paths that lead outside",
    attack:
      "A path with `..`, the beginning of an allowed path, or a symbolic link leads out of the folder that a tool may use.",
    defence:
      "`resolveInside` finds files in the folder only, also behind links. A folder of skills with a link to the outside is rejected, `pin` does not write through links, and no name of an operation or an addition leads to another folder.",
    advisories: [
      onGithub(servers, ["GHSA-q66q-fx2p-7w4m", "CVE-2025-53109"], "filesystem server", "2025-07-01"),
      onGithub(servers, ["GHSA-hc55-p739-j48w", "CVE-2025-53110"], "filesystem server", "2025-07-01"),
      onGithub("", ["GHSA-5cgr-j3jf-jw3v", "CVE-2025-68143"], "git server", "2025-12-17"),
      onGithub("", ["GHSA-j22h-9j4x-23w5", "CVE-2025-68145"], "git server", "2025-12-17"),
      onGithub("", ["GHSA-vjqx-cfc4-9h6v", "CVE-2026-27735"], "git server", "2026-02-26"),
    ],
    tests: [
      [
        "runtime/server/resources/resolve-inside.test.ts",
        "a path that leads outside of the folder resolves to nothing: %s",
      ],
      ["runtime/skills/folder.test.ts", "a link to a %s outside is rejected"],
      ["generator/pin/pin.program.test.ts", "the target of a link is not changed: %s"],
      ["generator/scaffold/add/add.test.ts", "the name %j is rejected"],
      ["advisories/hostile-openapi.test.ts", "names of operations lead to no other folder"],
    ],
  },
  {
    title: "Values that become options",
    attack:
      "A value that begins with a dash becomes an option of the program that a tool calls, which then writes a file or sends a token elsewhere.",
    defence:
      "The one value of a peer that is an argument of a program is a URL, which begins with `http`. Names of projects and additions cannot begin with a dash.",
    advisories: [
      onGithub("", ["GHSA-9xwc-hfwc-8w59", "CVE-2025-68144"], "git server", "2025-12-17"),
      onGithub(
        "Flux159/mcp-server-kubernetes",
        ["GHSA-6mx4-4h42-r8vh", "CVE-2026-47250"],
        "Kubernetes server",
        "2026-06-11",
      ),
    ],
    tests: [
      ["runtime/auth/client/network.test.ts", "a browser is not opened for %s"],
      ["generator/scaffold/create/name.test.ts", "a package name with %s is rejected and another is proposed (R60)"],
      ["generator/scaffold/add/add.test.ts", "the name %j is rejected"],
    ],
  },
  {
    title: "Arguments that change the request to an API",
    attack:
      "An argument of a tool that is made from an OpenAPI document adds a segment to the path, a parameter to the query or a header.",
    defence:
      "Each argument is encoded for its place. One that is `..`, `.` or empty is rejected in a path, so that it cannot lead to another operation.",
    advisories: [
      onGithub("", ["GHSA-vv7q-7jx5-f767", "CVE-2026-32871"], "FastMCP, OpenAPI", "2026-03-31"),
      onGithub("", ["GHSA-v2x6-wwfw-r2rq", "CVE-2026-29791"], "agentgateway, OpenAPI", "2026-03-05"),
    ],
    tests: [["advisories/hostile-openapi.test.ts", "an argument changes nothing but its own part of the request: %j"]],
  },
  {
    title: "Code in documents",
    attack:
      "A name, a description or a default in an OpenAPI document or in a schema of a server ends a string or a comment of generated code, and runs when it is imported.",
    defence:
      "Text of documents is escaped for its place: a literal, a comment, a key or the name of a file. Generated clients contain declarations and checks only.",
    advisories: [
      onGithub("", ["GHSA-mwr6-3gp8-9jmj", "CVE-2026-22785"], "Orval, MCP servers", "2026-01-13"),
      onGithub("", ["GHSA-p4cg-3328-rvfg", "CVE-2026-72716"], "Orval", "2026-09-02"),
      onGithub("", ["GHSA-6mr6-jvcr-2f25", "CVE-2026-71866"], "Orval", "2026-09-02"),
    ],
    tests: [
      ["advisories/hostile-openapi.test.ts", "texts of a document are never code of a tool"],
      [
        "generator/typed-client/command.program.test.ts",
        "the client of 120 tools with every construct and hostile names has declarations and checks only",
      ],
      [
        "generator/typed-client/read-schema.test.ts",
        "`emitType` emits type declarations only, also for hostile descriptions, names and values",
      ],
    ],
  },
  {
    title: "Control characters in terminals and logs",
    attack: "Text of a peer moves the cursor, adds lines to a log, or sends commands to a CI pipeline.",
    defence:
      "Reports, errors and logs escape or remove control characters and those that change directions. A message in the log is one line without secrets.",
    advisories: [
      onGithub(
        "tokio-rs/tracing",
        ["GHSA-xwfj-jgwm-7wp5", "CVE-2025-58160"],
        "tracing-subscriber, in servers with the Rust SDK",
        "2025-09",
      ),
    ],
    tests: [
      [
        "runtime/server/logging/error-log.test.ts",
        "R65: a peer can neither add lines, nor move the cursor, nor write a secret, nor fill the log",
      ],
      ["tools/live/commands.program.test.ts", "the command removes terminal control sequences from text of a server"],
      ["runtime/gateway/command.program.test.ts", "the program escapes terminal sequences of its server"],
      ["tools/check/authorization.test.ts", "text of a server cannot control the terminal"],
      ["tools/inspect/schema.test.ts", "invisible characters and those that change directions are escapes in %j"],
    ],
  },
];
