import {
  ConversionError,
  type Conversion,
  type Convert,
  type OnLoss,
  type Revision,
  type Role,
  type Table,
} from "../../generated/support.ts";
import { chain } from "./awaitable.ts";
import type { RequestHandler } from "./dispatch.ts";
import { StaticResult } from "./message.ts";
import type { OnError } from "./report.ts";

/**
 * What happens when an older peer cannot be told something: `convert` leaves it out or says it another way, `warn` reports it
 * as well, `error` refuses to send it.
 */
export type LossMode = "convert" | "warn" | "error";

/** Conversions of what one end sends at an older revision than its own code is written for. */
export interface Downgrade {
  readonly requests: Table<Conversion>;
  readonly notifications: Table<Conversion>;
  /** Conversions of results, by the request that they answer. */
  readonly results: Table<Conversion>;
  readonly onLoss: OnLoss | undefined;
}

/** What a session at `revision` needs when the code behind it is written for `written`; nothing when they are the same. */
export function createDowngrade(
  revision: Revision,
  options: {
    readonly role: Role;
    readonly written: Revision;
    readonly mode: LossMode | undefined;
    readonly onError: OnError | undefined;
  },
): Downgrade | undefined {
  const { conversions } = revision;
  if (!conversions || revision === options.written) return undefined;
  const onLoss = createLossHook(revision, options.mode ?? "convert", options.onError);
  const { clientRequests, serverRequests, clientNotifications, serverNotifications } = conversions;
  return options.role === "server"
    ? { requests: serverRequests, notifications: serverNotifications, results: clientRequests, onLoss }
    : { requests: clientRequests, notifications: clientNotifications, results: serverRequests, onLoss };
}

/** The params of a request or notification as the older revision has them. */
export function downgradeParams(
  downgrade: Downgrade | undefined,
  sent: { readonly kind: "request" | "notification"; readonly method: string; readonly params: unknown },
): unknown {
  if (!downgrade || sent.params === undefined) return sent.params;
  const table = sent.kind === "request" ? downgrade.requests : downgrade.notifications;
  const convert = Object.hasOwn(table, sent.method) ? table[sent.method]?.params : undefined;
  return convert ? convert(sent.params, downgrade.onLoss) : sent.params;
}

/** A handler whose results come out as the older revision has them; a static result is converted once. */
export function downgradeHandler(
  handle: RequestHandler,
  method: string,
  downgrade: Downgrade | undefined,
): RequestHandler {
  const { results, onLoss } = downgrade ?? {};
  const convert = results && Object.hasOwn(results, method) ? results[method]?.result : undefined;
  if (!convert) return handle;
  const converted = new WeakMap<StaticResult, StaticResult>();
  const convertResult = (result: unknown): unknown => {
    if (!(result instanceof StaticResult)) return convert(result, onLoss);
    const known = converted.get(result) ?? new StaticResult(convert(result.value, onLoss));
    converted.set(result, known);
    return known;
  };
  return (params, context) => chain(handle(params, context), convertResult);
}

/** The answer to `initialize` as the older revision has it. */
export function downgradeValue(
  value: unknown,
  convert: Convert | undefined,
  downgrade: Downgrade | undefined,
): unknown {
  return convert && downgrade ? convert(value, downgrade.onLoss) : value;
}

function createLossHook(revision: Revision, mode: LossMode, onError: OnError | undefined): OnLoss | undefined {
  switch (mode) {
    case "convert":
      return undefined;
    case "warn":
      return ({ type, member, rule }) =>
        onError?.({
          kind: "loss",
          error: new Error(`Revision ${revision.id} has no ${member} in ${type}; it was converted (${rule}).`),
        });
    case "error":
      return ({ type, member }) => {
        const reason = 'It would be lost, and `onLoss: "error"` forbids that.';
        throw new ConversionError({ type, member, revision: revision.id, reason });
      };
  }
}
