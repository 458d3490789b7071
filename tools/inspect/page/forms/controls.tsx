import type { ComponentChild } from "preact";
import { useId, useState } from "preact/hooks";
import type { Field, FieldOption } from "./schema.ts";
import { formatJson, parseJson, visibleText } from "../values/values.ts";

interface ControlProps {
  readonly field: Exclude<Field, { readonly kind: "object" | "list" | "choices" }>;
  readonly id: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Input of one value. */
export function Control({ field, id, isRequired, description, value, onChange }: ControlProps): ComponentChild {
  const shared = { id, "aria-describedby": description };
  switch (field.kind) {
    case "text": {
      const onInput = ({ currentTarget }: { currentTarget: { value: string } }): void =>
        onChange(currentTarget.value === "" && !isRequired ? undefined : currentTarget.value);
      const text = typeof value === "string" ? value : "";
      return field.isLong || text.includes("\n") ? (
        <textarea {...shared} rows={4} value={text} onInput={onInput} />
      ) : (
        <input
          {...shared}
          type="text"
          placeholder={visibleText(field.format)}
          value={text}
          onInput={onInput}
          autocomplete="off"
        />
      );
    }
    case "number":
      return <NumberInput {...shared} value={value} onChange={onChange} />;
    case "boolean":
      return <Choice {...shared} isRequired={isRequired} options={booleans} value={value} onChange={onChange} />;
    case "choice":
      return <Choice {...shared} isRequired={isRequired} options={field.options} value={value} onChange={onChange} />;
    case "json":
      return <JsonText {...shared} rows={3} value={value} onChange={onChange} />;
    default:
      return field satisfies never;
  }
}

interface NumberInputProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Input of a number. What is typed stays while it means the value, such as `0.0` on the way to `0.05`. */
function NumberInput({ value, onChange, ...attributes }: NumberInputProps): ComponentChild {
  const [draft, setDraft] = useState("");
  const text = typeof value === "number" ? String(value) : "";
  // The browser would not send a form with a fraction in a field of integers. A person may want to see what the server does with it.
  return (
    <input
      {...attributes}
      type="number"
      step="any"
      value={draft !== "" && Number(draft) === value ? draft : text}
      onInput={({ currentTarget }) => {
        setDraft(currentTarget.value);
        onChange(currentTarget.value === "" ? undefined : Number(currentTarget.value));
      }}
    />
  );
}

const booleans: readonly FieldOption[] = [
  { value: true, label: "true" },
  { value: false, label: "false" },
];

function Choice({ options, value, onChange, ...shared }: ChoiceProps): ComponentChild {
  const { isRequired: _isRequired, ...attributes } = shared;
  const chosen = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
  return (
    <select
      {...attributes}
      value={String(chosen)}
      onChange={({ currentTarget }) => onChange(options[Number(currentTarget.value)]?.value)}
    >
      <option value="-1">(not set)</option>
      {options.map(({ label }, at) => (
        <option key={label} value={String(at)}>
          {visibleText(label)}
        </option>
      ))}
    </select>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly options: readonly FieldOption[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly isRequired: boolean;
  readonly "aria-describedby": string | undefined;
}

interface JsonFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly rows: number;
}

/** Labelled editor for a value as JSON. */
export function JsonField({ label, ...props }: JsonFieldProps): ComponentChild {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <JsonText id={id} {...props} />
    </div>
  );
}

interface JsonTextProps extends Omit<JsonFieldProps, "label"> {
  readonly id: string;
  readonly "aria-describedby"?: string | undefined;
}

/** Editor for a value as JSON. Invalid text stays, and the value before it counts. An empty text is no value. */
function JsonText({ id, value, onChange, rows, "aria-describedby": about }: JsonTextProps): ComponentChild {
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const take = (text: string): void => {
    setDraft(text);
    const parsed = text.trim() === "" ? { value: undefined } : parseJson(text);
    setProblem("problem" in parsed ? parsed.problem : "");
    if (!("problem" in parsed)) onChange(parsed.value);
  };
  return (
    <>
      <textarea
        id={id}
        class="code"
        rows={rows}
        spellcheck={false}
        aria-describedby={problem === "" ? about : `${id}-problem`}
        aria-invalid={problem !== ""}
        value={draft ?? formatJson(value)}
        onInput={({ currentTarget }) => take(currentTarget.value)}
        onBlur={() => problem === "" && setDraft(undefined)}
      />
      {problem !== "" && (
        <p class="issue" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
