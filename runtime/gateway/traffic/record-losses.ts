import {
  isObject,
  type Conversion,
  type Convert,
  type Loss,
  type Revision,
  type Table,
} from "../../../generated/support.ts";
import type { Message } from "../../jsonrpc/message.ts";
import type { TrafficLoss } from "./entry.ts";

/** Remembers the losses of conversions until the converted message is sent. */
export class LossRecorder {
  readonly #losses = new WeakMap<object, readonly TrafficLoss[]>();
  /** Latest converted params. Requests are sent with a copy, which has further metadata. */
  #latest: readonly Record<string, unknown>[] = [];

  /** Returns the revisions with conversions whose losses are remembered. */
  follow(revisions: readonly Revision[]): readonly Revision[] {
    return revisions.map((revision) => {
      const { conversions } = revision;
      if (!conversions) return revision;
      const followed = {
        clientRequests: this.#followTable(conversions.clientRequests),
        serverRequests: this.#followTable(conversions.serverRequests),
        clientNotifications: this.#followTable(conversions.clientNotifications),
        serverNotifications: this.#followTable(conversions.serverNotifications),
        embeddedRequests: this.#followTable(conversions.embeddedRequests),
      };
      return { ...revision, conversions: followed };
    });
  }

  /** Returns the losses of a message at the time it is sent. */
  of(message: Message): readonly TrafficLoss[] | undefined {
    const converted = "result" in message ? message.result : "method" in message ? message.params : undefined;
    if (!isObject(converted)) return undefined;
    const original = this.#losses.has(converted) ? converted : this.#latest.find((one) => isCopy(converted, one));
    this.#latest = this.#latest.filter((one) => one !== original);
    return original && this.#losses.get(original);
  }

  #followTable(table: Table<Conversion>): Table<Conversion> {
    return Object.fromEntries(
      Object.entries(table).map(([method, { params, result }]) => [
        method,
        { ...(params && { params: this.#followParams(params) }), ...(result && { result: this.#follow(result) }) },
      ]),
    );
  }

  #followParams(convert: Convert): Convert {
    const follow = this.#follow(convert);
    return (value, onLoss) => {
      const converted = follow(value, onLoss);
      if (isObject(converted) && this.#losses.has(converted))
        this.#latest = [converted, ...this.#latest].slice(0, mostLatest);
      return converted;
    };
  }

  #follow(convert: Convert): Convert {
    return (value, onLoss) => {
      const losses = new Map<string, TrafficLoss>();
      const converted = convert(value, (loss) => {
        losses.set(JSON.stringify(loss), toTrafficLoss(loss));
        onLoss?.(loss);
      });
      if (losses.size > 0 && isObject(converted)) this.#losses.set(converted, [...losses.values()]);
      return converted;
    };
  }
}

/** Maximum number of params converted at the same time and not sent yet. */
const mostLatest = 16;

/** True if params are a copy of others with further metadata. */
function isCopy(params: Record<string, unknown>, original: Record<string, unknown>): boolean {
  return Object.keys(original).every((key) => key === "_meta" || params[key] === original[key]);
}

function toTrafficLoss({ type, member, rule }: Loss): TrafficLoss {
  const path = member === "" ? type : `${type}.${member}`;
  return { path, reason: rule === "drop" ? "omitted: the revision does not have it" : `converted by the rule ${rule}` };
}
