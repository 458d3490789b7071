import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../runtime/gateway/gateway.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

/** A gateway before the odd server. */
export interface OddGateway {
  readonly gateway: Gateway;
  /** Error reports. */
  readonly reports: readonly string[];
  /** Number of server processes that were started. */
  started(): number;
  /** Number of calls of a tool. */
  called(name: string): number;
}

export interface OddOptions extends Partial<GatewayOptions> {
  readonly script: string;
  /** The lifecycle of the server. */
  readonly era?: "alone" | "sessions";
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the functions that close everything again. */
  readonly ends: (() => Promise<void>)[];
}

/** Opens a gateway before a process of `odd-server.ts`. */
export async function openOdd({
  script,
  era = "sessions",
  env = {},
  ends,
  ...options
}: OddOptions): Promise<OddGateway> {
  const log = join(temporaryFolder(), "log");
  const reports: string[] = [];
  const onError = ({ error }: { readonly error: Error }): void => void reports.push(error.message);
  const place = { kind: "command", command: process.execPath, args: [script, era, log], env } as const;
  const gateway = await createGateway(place, { revisions, onError, ...options });
  ends.push(() => gateway.close());
  const count = (line: RegExp): number => (existsSync(log) ? (readFileSync(log, "utf8").match(line)?.length ?? 0) : 0);
  return {
    gateway,
    reports,
    started: () => count(/^started /gm),
    called: (name) => count(new RegExp(`^called ${name}$`, "gm")),
  };
}

/** The text of a result's first block. */
export function readText(result: unknown): string {
  const [block] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  return isObject(block) ? String(block.text) : "";
}
