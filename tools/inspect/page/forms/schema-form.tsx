import type { ComponentChild } from "preact";
import { useId, useState } from "preact/hooks";
import { Control, JsonField } from "./controls.tsx";
import { deepestForm, initialValue, readField, resolve, type Field, type FieldOption } from "./schema.ts";
import { isSameValue } from "../values/comparison.ts";
import { isObject, textOf, visibleText, type JsonObject } from "../values/values.ts";

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
  /** True if the value is not left out when it is empty. */
  readonly isRequired: boolean;
  readonly isItem?: boolean;
}

function LabeledField({ name, isRequired, isItem = false, ...props }: LabeledFieldProps): ComponentChild {
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
      {isRequired && !isItem && <span class="required">required</span>}
    </>
  );
  if (field.kind === "object" || field.kind === "list" || field.kind === "choices")
    return (
      <fieldset class="group">
        <legend>{caption}</legend>
        {about}
        <Group field={field} name={name} isRequired={isRequired} {...props} schema={schema} />
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

interface GroupProps extends LabeledFieldProps {
  readonly field: Extract<Field, { readonly kind: "object" | "list" | "choices" }>;
}

function Group({ field, ...props }: GroupProps): ComponentChild {
  const { root, value, isRequired, onChange, depth } = props;
  const setList = (list: readonly unknown[]): void => onChange(list.length === 0 && !isRequired ? undefined : list);
  switch (field.kind) {
    case "object":
      return <InnerObject {...props} />;
    case "choices":
      return <Choices options={field.options} value={value} onChange={setList} />;
    case "list":
      return <Items items={field.items} root={root} value={value} onChange={setList} depth={depth} />;
    default:
      return field satisfies never;
  }
}

/** Object in an object. One without a value has no fields: a schema that contains itself several times would have millions. */
function InnerObject({ name, isRequired, schema, root, value, onChange, depth }: LabeledFieldProps): ComponentChild {
  const shown = visibleText(name);
  if (value === undefined)
    return (
      <button
        type="button"
        class="quiet"
        aria-label={`Add ${shown}`}
        onClick={() => onChange(initialValue(schema, root) ?? {})}
      >
        Add
      </button>
    );
  return (
    <>
      <Members schema={schema} root={root} value={value} onChange={onChange} depth={depth + 1} />
      {!isRequired && (
        <button type="button" class="quiet" aria-label={`Remove ${shown}`} onClick={() => onChange(undefined)}>
          Remove
        </button>
      )}
    </>
  );
}

function Choices({ options, value, onChange }: ChoicesProps): ComponentChild {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (option: unknown, isOn: boolean): void =>
    onChange(isOn ? [...chosen, option] : chosen.filter((one) => !isSameValue(one, option)));
  return (
    <div class="checks">
      {options.map(({ value: option, label }) => (
        <label key={label} class="check">
          <input
            type="checkbox"
            checked={chosen.some((one) => isSameValue(one, option))}
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
  readonly onChange: (value: readonly unknown[]) => void;
}

function Items({ items, root, value, onChange, depth }: ItemsProps): ComponentChild {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div class="fields">
      {list.map((item, at) => (
        <div class="list-item" key={at}>
          <LabeledField
            name={`Item ${at + 1}`}
            isRequired
            isItem
            schema={items}
            root={root}
            depth={depth + 1}
            value={item}
            onChange={(next = null) => onChange(list.map((old, other) => (other === at ? next : old)))}
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
  readonly onChange: (value: readonly unknown[]) => void;
  readonly depth: number;
}
