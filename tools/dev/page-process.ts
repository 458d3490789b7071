import { fork, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isObject } from "../../generated/support.ts";
import { report } from "./report.ts";

/**
 * Page to call the developed server from: `create-mcp-server inspect` in a process of its own, if the project has this package. It listens at a port
 * of its own, for this machine only: the port of the server may be open to others, or to a tunnel.
 */
export class PageProcess {
  readonly #program: string | undefined;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;
  #address: string | undefined;
  /** True once the page shows the output of the server. */
  #isOpen = false;
  /** Output before. */
  #early = "";

  /**
   * @param folder - folder of the project
   * @param inspect - further options of `create-mcp-server inspect`; `false`: no page. Default: none
   */
  constructor(folder: string, inspect: readonly string[] | false = []) {
    this.#program = inspect === false ? undefined : findProgram(folder);
    this.#options = inspect === false ? [] : inspect;
  }

  /** Opens the page of a server at an address, unless it is open. */
  open(address: string): void {
    if (this.#program === undefined || (this.#child && this.#address === address)) return;
    this.close();
    this.#address = address;
    const child = fork(this.#program, ["inspect", toLocal(address), ...this.#options], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      execArgv: [],
      env: { ...process.env, MCP_DEV_PAGE: "1" },
    });
    this.#child = child;
    let problem = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (problem = (problem + text).slice(-longestProblem)));
    child.on("message", (message) => this.#child === child && this.#receive(message));
    child.on("error", ({ message }) => (problem = message));
    child.once("close", () => this.#ended(child, problem));
  }

  /** Shows output of the server, and of its builds, on the page. */
  addOutput(text: string): void {
    if (this.#program === undefined) return;
    if (this.#isOpen && this.#child?.connected) this.#child.send({ kind: "output", text }, () => {});
    else this.#early = (this.#early + text).slice(-longestEarly);
  }

  close(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#isOpen = false;
    child?.kill();
  }

  #receive(message: unknown): void {
    if (!isObject(message) || message.kind !== "opened" || typeof message.url !== "string") return;
    const early = this.#early;
    // The page does not show its own address, which is a secret.
    report(`call it, and see its messages, at ${message.url}`);
    this.#early = "";
    this.#isOpen = true;
    this.addOutput(early);
  }

  #ended(child: ChildProcess, problem: string): void {
    if (this.#child !== child) return;
    const wasOpen = this.#isOpen;
    this.close();
    // The server is what matters: one line, and it goes on.
    const reason = problem
      .trim()
      .replace(/^create-mcp-server: /, "")
      .replace(/\s+/g, " ");
    report(`${wasOpen ? "the page has ended" : "no page"}${reason && `: ${reason}`}`);
  }
}

/** Returns the address by which this machine reaches a server that listens on all addresses. */
function toLocal(address: string): string {
  return address.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:");
}

/** Returns the program `create-mcp-server` of a project; `undefined` if it has none. */
function findProgram(folder: string): string | undefined {
  try {
    const path = createRequire(join(folder, "package.json")).resolve("create-mcp-server/package.json");
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    const bin = isObject(manifest) && isObject(manifest.bin) ? manifest.bin["create-mcp-server"] : undefined;
    return typeof bin === "string" ? join(dirname(path), bin) : undefined;
  } catch {
    return undefined;
  }
}

/** Characters of output to hold for the page. */
const longestEarly = 64 * 1024;

const longestProblem = 2_000;
