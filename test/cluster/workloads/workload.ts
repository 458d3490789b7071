import { randomUUID } from "node:crypto";
import type { Random } from "../../kit/random.ts";
import { openClient, type TestClient } from "../client/client.ts";
import type { Message } from "../client/message.ts";
import type { HistoryLog } from "../history.ts";

/** What a workload runs against. */
export interface WorkloadContext {
  readonly url: string;
  readonly log: HistoryLog;
  readonly random: Random;
}

/** One pass of a workload. It judges nothing: the checker does. */
export type Workload = (context: WorkloadContext) => Promise<void>;

/** Opens a session of a new client. */
export function openSession(context: WorkloadContext, principal = "alice"): Promise<TestClient> {
  return openClient({ ...context, name: `${principal}-${randomUUID().slice(0, 8)}`, principal });
}

/** Text that occurs nowhere else. */
export function createNonce(): string {
  return `nonce-${randomUUID()}`;
}

/** Nonce of a question, which is its text. */
export function readNonce({ params }: Message): string {
  return typeof params?.["message"] === "string" ? params["message"] : "";
}

/** Number below a limit. */
export function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}
