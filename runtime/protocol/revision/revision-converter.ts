import {
  ConversionError,
  type Conversion,
  type Conversions,
  type OnLoss,
  type Revision,
  type Role,
  type Table,
} from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import type { RequestHandler } from "../session/call-context.ts";
import type { ConvertedParams, SessionConverter } from "../session/session.ts";
import { StaticResult } from "../../jsonrpc/message.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";

/** Treatment of values unknown to an older peer: `convert` omits or rewrites them, `warn` also reports them, `error` rejects them. */
export type LossMode = "convert" | "warn" | "error";

/** Converts between an older revision and the revision of one end's code. */
export interface RevisionConverter extends SessionConverter {
  /** Wraps a handler to fit its results to the older revision; a static result is converted once. */
  handler(handle: RequestHandler, method: string): RequestHandler;
}

/** Options of a converter: the role of this end, and the revision of its code. */
export interface RevisionConverterOptions {
  readonly role: Role;
  readonly written: Revision;
  readonly mode: LossMode | undefined;
  readonly onError: OnError | undefined;
}

/** Creates the converter of a session; returns `undefined` for the revision the code is written for. */
export function createRevisionConverter(
  revision: Revision,
  options: RevisionConverterOptions,
): RevisionConverter | undefined {
  const { conversions, received = [] } = revision;
  const { role, written } = options;
  if (!conversions || revision === written) return undefined;
  const toWritten = received.findLast(({ since }) => since <= written.id)?.conversions;
  return new TableConverter({
    written,
    sent: toTables(conversions, role),
    received: toWritten && toTables(toWritten, role === "server" ? "client" : "server"),
    onLoss: createLossHook(revision, options),
  });
}

/** Returns the tables of what one side sends. */
function toTables(conversions: Conversions, sender: Role): Tables {
  const { clientRequests, serverRequests, clientNotifications, serverNotifications } = conversions;
  return sender === "server"
    ? { request: serverRequests, notification: serverNotifications, results: clientRequests }
    : { request: clientRequests, notification: clientNotifications, results: serverRequests };
}

interface Tables {
  readonly request: Table<Conversion>;
  readonly notification: Table<Conversion>;
  /** Conversions of results, by the method of their request. */
  readonly results: Table<Conversion>;
}

class TableConverter implements RevisionConverter {
  readonly written: Revision;
  readonly #sent: Tables;
  readonly #received: Tables | undefined;
  readonly #onLoss: OnLoss | undefined;

  /** Without `received`, what the peer sends stays. */
  constructor({
    written,
    sent,
    received,
    onLoss,
  }: {
    readonly written: Revision;
    readonly sent: Tables;
    readonly received: Tables | undefined;
    readonly onLoss: OnLoss | undefined;
  }) {
    this.written = written;
    this.#sent = sent;
    this.#received = received;
    this.#onLoss = onLoss;
  }

  params({ kind, method, params }: ConvertedParams): unknown {
    const convert = params === undefined ? undefined : find(this.#sent[kind], method)?.params;
    return convert ? convert(params, this.#onLoss) : params;
  }

  receivedParams({ kind, method, params }: ConvertedParams): unknown {
    const convert = this.#received && find(this.#received[kind], method)?.params;
    return convert && params !== undefined ? convert(params) : params;
  }

  receivedResult(method: string, value: unknown): unknown {
    const convert = this.#received && find(this.#received.results, method)?.result;
    return convert ? convert(value) : value;
  }

  handler(handle: RequestHandler, method: string): RequestHandler {
    const convert = find(this.#sent.results, method)?.result;
    const onLoss = this.#onLoss;
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

  result(method: string, value: unknown): unknown {
    const convert = find(this.#sent.results, method)?.result;
    return convert ? convert(value, this.#onLoss) : value;
  }
}

function find(table: Table<Conversion>, method: string): Conversion | undefined {
  return Object.hasOwn(table, method) ? table[method] : undefined;
}

function createLossHook({ id }: Revision, { mode, onError }: RevisionConverterOptions): OnLoss | undefined {
  if (mode === "warn")
    return ({ type, member, rule }) =>
      onError?.({
        kind: "loss",
        error: new Error(`Revision ${id} has no ${member} in ${type}; it was converted (${rule})`),
      });
  if (mode === "error")
    return ({ type, member }) => {
      const reason = 'it would be lost, which `onLoss: "error"` forbids';
      throw new ConversionError({ type, member, revision: id, reason });
    };
  return undefined;
}
