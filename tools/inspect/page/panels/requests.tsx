import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { ComparisonView } from "../values/comparison-view.tsx";
import { isSameValue } from "../values/comparison.ts";
import { JsonView } from "../values/json-view.tsx";
import type { Call, CallOptions, Outcome, Store } from "../store.ts";
import { visibleText, type JsonObject } from "../values/values.ts";

/** Request at one or two revisions, and its outcomes. */
export interface Requests {
  readonly running: Signal<readonly Call[]>;
  readonly outcomes: Signal<readonly ShownOutcome[]>;
  /** Sends the request at every selected revision. */
  send(method: string, params: JsonObject, options?: CallOptions): void;
  cancel(): void;
}

/** Outcome with the revision and the params of its request. */
export interface ShownOutcome {
  readonly protocol: string;
  readonly params: JsonObject;
  readonly outcome: Outcome;
}

/** Returns the requests of one part of the page. */
export function useRequests({ call, protocols }: Store): Requests {
  const running = useSignal<readonly Call[]>([]);
  const outcomes = useSignal<readonly ShownOutcome[]>([]);
  return {
    running,
    outcomes,
    send(method, params, options) {
      const calls = protocols.value.map((protocol) => ({ protocol, call: call(protocol, method, params, options) }));
      running.value = calls.map((one) => one.call);
      outcomes.value = [];
      void Promise.all(
        calls.map(async ({ protocol, call: sent }) => ({ protocol, params, outcome: await sent.outcome })),
      ).then((settled) => {
        // A later request has replaced this one.
        if (running.value[0] !== calls[0]?.call) return;
        running.value = [];
        outcomes.value = settled;
      });
    },
    cancel() {
      for (const one of running.value) one.cancel();
    },
  };
}

interface RequestStatusProps {
  readonly requests: Requests;
  /** Shows the result of one revision. */
  readonly children: (outcome: ShownOutcome & { readonly result: unknown }) => ComponentChild;
}

/** Progress and outcomes of a request. Outcomes of two revisions are compared; if they are the same, they are shown once. */
export function RequestStatus({ requests, children }: RequestStatusProps): ComponentChild {
  const { running, outcomes } = requests;
  if (running.value.length > 0)
    return (
      <div class="outcome" role="status">
        {running.value.map((call, at) => (
          <ProgressLine key={at} call={call} />
        ))}
        <button type="button" class="quiet" onClick={requests.cancel}>
          Cancel
        </button>
      </div>
    );
  const [first, second] = outcomes.value;
  if (!first) return null;
  return (
    <section class="outcome" aria-label="Result">
      {second ? (
        <Compared first={first} second={second}>
          {children}
        </Compared>
      ) : (
        <>
          <OutcomeHead shown={first} />
          <OutcomeBody shown={first}>{children}</OutcomeBody>
        </>
      )}
    </section>
  );
}

function ProgressLine({ call }: { readonly call: Call }): ComponentChild {
  const progress = call.progress.value;
  if (!progress) return <progress aria-label="Waiting for the response" />;
  const { progress: value, total, message } = progress;
  return (
    <p class="progress">
      <progress aria-label="Progress" value={value} max={total ?? Math.max(value, 1)} />
      <span>
        {value}
        {total !== undefined && ` of ${total}`} {message !== undefined && visibleText(message)}
      </span>
    </p>
  );
}

interface ComparedProps {
  readonly first: ShownOutcome;
  readonly second: ShownOutcome;
  readonly children: RequestStatusProps["children"];
}

function Compared({ first, second, children }: ComparedProps): ComponentChild {
  const [left, right] = [valueOf(first.outcome), valueOf(second.outcome)];
  return (
    <>
      <OutcomeHead shown={first} />
      <OutcomeHead shown={second} />
      {isSameValue(left, right) ? (
        <>
          <p class="ok">Both are the same.</p>
          <OutcomeBody shown={first}>{children}</OutcomeBody>
        </>
      ) : (
        <ComparisonView
          left={{ title: first.protocol, value: left }}
          right={{ title: second.protocol, value: right }}
        />
      )}
    </>
  );
}

function valueOf(outcome: Outcome): unknown {
  return outcome.kind === "result" ? outcome.result : { error: outcome.error };
}

function OutcomeHead({ shown: { protocol, outcome } }: { readonly shown: ShownOutcome }): ComponentChild {
  const isError = outcome.kind === "error";
  return (
    <h3 class="outcome-head">
      <span class={isError ? "badge bad" : "badge good"}>{isError ? "Error" : "Result"}</span>
      <span class="tag">{protocol}</span>
      <span class="muted">{outcome.milliseconds} ms</span>
    </h3>
  );
}

interface OutcomeBodyProps {
  readonly shown: ShownOutcome;
  readonly children: RequestStatusProps["children"];
}

function OutcomeBody({ shown, children }: OutcomeBodyProps): ComponentChild {
  const { outcome } = shown;
  if (outcome.kind === "result") return children({ ...shown, result: outcome.result });
  const { message, code, data } = outcome.error;
  return (
    <div role="alert">
      <p class="issue">
        {code !== undefined && <code>{code}</code>} {visibleText(message)}
      </p>
      {data !== undefined && <JsonView value={data} label="Data of the error" />}
    </div>
  );
}
