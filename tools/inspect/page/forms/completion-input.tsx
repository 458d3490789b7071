import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useId } from "preact/hooks";
import type { Store } from "../store.ts";
import { memberOf, visibleText, type JsonObject } from "../values/values.ts";

interface CompletionInputProps {
  readonly store: Store;
  /** Prompt or resource template whose argument is completed. */
  readonly reference: JsonObject;
  readonly name: string;
  readonly description?: string;
  readonly isRequired?: boolean;
  readonly value: string;
  /** Values of the other arguments. */
  readonly others: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

/** Input of an argument with completions of the server. */
export function CompletionInput(props: CompletionInputProps): ComponentChild {
  const { store, reference, name, description = "", isRequired, value, others, onChange } = props;
  const id = useId();
  const options = useSignal<readonly string[]>([]);
  // Suggestions may depend on the other arguments, which change while this input has no focus.
  const focused = useSignal(0);
  const protocol = store.protocol.value;
  useEffect(() => {
    if (focused.value === 0 || !canComplete(store)) return;
    let isLatest = true;
    const timer = setTimeout(() => {
      const context = Object.keys(others).length > 0 ? { context: { arguments: others } } : {};
      const params = { ref: reference, argument: { name, value }, ...context };
      void store.call(protocol, "completion/complete", params).outcome.then((outcome) => {
        // Not every argument can be completed: an error only means that there are no suggestions.
        if (isLatest) options.value = outcome.kind === "result" ? readValues(outcome.result) : [];
      });
    }, delay);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [value, focused.value, protocol]);
  return (
    <div class="field">
      <label for={id}>
        <span class="field-name">{visibleText(name)}</span>
        {isRequired && <span class="required">required</span>}
      </label>
      <input
        id={id}
        list={`${id}-options`}
        autocomplete="off"
        aria-describedby={description === "" ? undefined : `${id}-about`}
        value={value}
        onFocus={() => (focused.value += 1)}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <datalist id={`${id}-options`}>
        {options.value.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
      {description !== "" && (
        <p class="hint" id={`${id}-about`}>
          {visibleText(description)}
        </p>
      )}
      {options.value.length > 0 && (
        <p class="hint" role="status">
          {options.value.length} {options.value.length === 1 ? "suggestion" : "suggestions"}:{" "}
          {options.value.slice(0, 8).map((option) => (
            <button key={option} type="button" class="chip" onClick={() => onChange(option)}>
              {visibleText(option)}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

/** Milliseconds without a keystroke before completions are requested. */
const delay = 200;

function canComplete({ state, protocol }: Store): boolean {
  const revision = state.value?.revisions.find(({ id }) => id === protocol.value);
  const session = state.value?.sessions[protocol.value];
  // The first revision has the method, but not the capability.
  const hasCapability = state.value?.revisions.at(-1)?.id !== protocol.value;
  const isDeclared = session?.kind === "open" && memberOf(session.capabilities, "completions") !== undefined;
  return (revision?.methods.includes("completion/complete") ?? false) && (isDeclared || !hasCapability);
}

function readValues(result: unknown): readonly string[] {
  const values = memberOf(result, "values");
  return Array.isArray(values) ? values.filter((value) => typeof value === "string").slice(0, 100) : [];
}
