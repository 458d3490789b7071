import type { ComponentChild } from "preact";
import { useId, useState } from "preact/hooks";
import { deepestForm, initialValue, readField, resolve, type Field, type FieldOption } from "./schema.ts";
import { formatJson, isObject, parseJson, textOf, visibleText, type JsonObject } from "../values/values.ts";

/*
 * Form for a JSON Schema. The form libraries for browsers compile schemas to code, which the policy of the page forbids, or bring a component library
 * that is larger than the whole page. This form has fields for what schemas of tools use most; every other value is edited as JSON.
 */

/** Form for a value, or the value as JSON. */
export function ValueEditor({ schema, value, onChange, label }: EditorProps): ComponentChild {
  const [isRaw, setRaw] = useState(readField(schema, schema).kind !== "object");
  const canForm = readField(schema, schema).kind === "object";
  return (
    <fieldset class="editor">
      <legend>{label}</legend>
      {canForm && (
        <div class="segments" role="group" aria-label="Editor">
          <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
            Form
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            JSON
          </button>
        </div>
      )}
      {isRaw ? (
        <JsonField label={`${label} as JSON`} value={value} onChange={onChange} rows={8} />
      ) : (
        <Members schema={isObject(schema) ? schema : {}} root={schema} value={value} onChange={onChange} depth={0} />
      )}
    </fieldset>
  );
}

interface EditorProps {
  readonly schema: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly label: string;
}

interface FieldProps {
  readonly schema: JsonObject;
  readonly root: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly depth: number;
}

function Members({ schema, root, value, onChange, depth }: FieldProps): ComponentChild {
  const field = readField(schema, root);
  if (field.kind !== "object") return null;
  const object = isObject(value) ? value : {};
  if (field.members.length === 0) return <p class="muted">The schema lists no members.</p>;
  return (
    <div class="fields">
      {field.members.map(({ name, schema: member, isRequired }) => (
        <LabeledField
          key={name}
          name={name}
          isRequired={isRequired}
          schema={member}
          root={root}
          depth={depth}
          value={Object.hasOwn(object, name) ? object[name] : undefined}
          onChange={(next) => onChange(withMember(object, name, next))}
        />
      ))}
    </div>
  );
}

/** Returns an object with a member, or without it if its value is undefined. Works for every name, such as `__proto__`. */
function withMember(object: JsonObject, name: string, value: unknown): JsonObject {
  const others = Object.entries(object).filter(([key]) => key !== name);
  if (value === undefined) return Object.fromEntries(others);
  const isKnown = Object.hasOwn(object, name);
  if (!isKnown) return Object.fromEntries([...others, [name, value]]);
  return Object.fromEntries(Object.entries(object).map(([key, old]) => [key, key === name ? value : old]));
}

interface LabeledFieldProps extends FieldProps {
  readonly name: string;
  readonly isRequired: boolean;
}

function LabeledField({ name, isRequired, ...props }: LabeledFieldProps): ComponentChild {
  const id = useId();
  const schema = resolve(props.schema, props.root);
  const description = textOf(schema.description);
  const title = textOf(schema.title);
  const field = props.depth > deepestForm ? { kind: "json" as const } : readField(schema, props.root);
  const shared = { id, isRequired, description: description === "" ? undefined : `${id}-about` };
  const about = description !== "" && (
    <p class="hint" id={`${id}-about`}>
      {visibleText(description)}
    </p>
  );
  const caption = (
    <>
      <span class="field-name">{visibleText(name)}</span>
      {title !== "" && title !== name && <span class="field-title">{visibleText(title)}</span>}
      {isRequired && <span class="required">required</span>}
    </>
  );
  if (field.kind === "object" || field.kind === "list" || field.kind === "choices")
    return (
      <fieldset class="group">
        <legend>{caption}</legend>
        {about}
        <Group field={field} {...props} schema={schema} />
      </fieldset>
    );
  return (
    <div class="field">
      <label for={id}>{caption}</label>
      <Control field={field} {...shared} value={props.value} onChange={props.onChange} />
      {about}
    </div>
  );
}

interface GroupProps extends FieldProps {
  readonly field: Extract<Field, { readonly kind: "object" | "list" | "choices" }>;
}

function Group({ field, schema, root, value, onChange, depth }: GroupProps): ComponentChild {
  switch (field.kind) {
    case "object":
      return <Members schema={schema} root={root} value={value} onChange={onChange} depth={depth + 1} />;
    case "choices":
      return <Choices options={field.options} value={value} onChange={onChange} />;
    case "list":
      return <Items items={field.items} root={root} value={value} onChange={onChange} depth={depth} />;
    default:
      return field satisfies never;
  }
}

function Choices({ options, value, onChange }: ChoicesProps): ComponentChild {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (option: unknown, isOn: boolean): void =>
    onChange(isOn ? [...chosen, option] : chosen.filter((one) => one !== option));
  return (
    <div class="checks">
      {options.map(({ value: option, label }) => (
        <label key={label} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ currentTarget }) => toggle(option, currentTarget.checked)}
          />
          {visibleText(label)}
        </label>
      ))}
    </div>
  );
}

interface ChoicesProps {
  readonly options: readonly FieldOption[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Items({ items, root, value, onChange, depth }: ItemsProps): ComponentChild {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div class="fields">
      {list.map((item, at) => (
        <div class="list-item" key={at}>
          <LabeledField
            name={`Item ${at + 1}`}
            isRequired={false}
            schema={items}
            root={root}
            depth={depth + 1}
            value={item}
            onChange={(next) => onChange(list.map((old, other) => (other === at ? next : old)))}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove item ${at + 1}`}
            onClick={() => onChange(list.filter((_, other) => other !== at))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="quiet" onClick={() => onChange([...list, initialValue(items, root) ?? null])}>
        Add item
      </button>
    </div>
  );
}

interface ItemsProps {
  readonly items: JsonObject;
  readonly root: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly depth: number;
}

interface ControlProps {
  readonly field: Exclude<Field, GroupProps["field"]>;
  readonly id: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Control({ field, id, isRequired, description, value, onChange }: ControlProps): ComponentChild {
  const shared = { id, "aria-describedby": description };
  switch (field.kind) {
    case "text": {
      const onInput = ({ currentTarget }: { currentTarget: { value: string } }): void =>
        onChange(currentTarget.value === "" && !isRequired ? undefined : currentTarget.value);
      const text = typeof value === "string" ? value : "";
      return field.isLong || text.includes("\n") ? (
        <textarea {...shared} rows={4} value={text} onInput={onInput} />
      ) : (
        <input {...shared} type="text" placeholder={field.format} value={text} onInput={onInput} autocomplete="off" />
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

interface ChoiceProps extends ChoicesProps {
  readonly id: string;
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

/** Editor for a value as JSON. Text that is no JSON stays, and the value before it counts. An empty text is no value. */
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
