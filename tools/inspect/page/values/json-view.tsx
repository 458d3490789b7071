import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import { isObject, visibleText } from "./values.ts";

/** Shows JSON as text whose objects and lists can be folded. Long lists and texts are shown in parts. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }): ComponentChild {
  return (
    <div class="json" role="group" aria-label={label} tabIndex={0}>
      <Node value={value} depth={0} room={mostOpenLines} />
    </div>
  );
}

interface NodeProps {
  readonly name?: string;
  readonly value: unknown;
  readonly depth: number;
  /** Number of lines below it that may be open at first. */
  readonly room: number;
}

function Node({ name, value, depth, room }: NodeProps): ComponentChild {
  const entries = Array.isArray(value)
    ? value.map((item, index): [string, unknown] => [String(index), item])
    : isObject(value)
      ? Object.entries(value)
      : undefined;
  if (!entries || entries.length === 0)
    return (
      <div class="json-line">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  return <Branch name={name} entries={entries} isList={Array.isArray(value)} depth={depth} room={room} />;
}

interface BranchProps {
  readonly name: string | undefined;
  readonly entries: readonly (readonly [string, unknown])[];
  readonly isList: boolean;
  readonly depth: number;
  readonly room: number;
}

function Branch({ name, entries, isList, depth, room }: BranchProps): ComponentChild {
  const lines = Math.min(entries.length, pageSize);
  const isSmall = depth < 3 || entries.length < 4;
  const [isOpen, setOpen] = useState(isSmall && depth < deepestOpen && lines <= room);
  const [shown, setShown] = useState(pageSize);
  const count = isList ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="json-count">{count}</span>
      </summary>
      {isOpen && (
        <div class="json-members">
          {entries.slice(0, shown).map(([key, item]) => (
            <Node key={key} name={key} value={item} depth={depth + 1} room={room / lines - 1} />
          ))}
          {entries.length > shown && (
            <button type="button" class="link" onClick={() => setShown(shown + pageSize)}>
              Show more ({entries.length - shown})
            </button>
          )}
        </div>
      )}
    </details>
  );
}

const pageSize = 200;

/** Number of lines open at first: a large value must not stop the page. */
const mostOpenLines = 5_000;

/** Levels open at first. A browser cannot create thousands of elements inside of each other. */
const deepestOpen = 20;

function Name({ name }: { readonly name: string | undefined }): ComponentChild {
  return name === undefined ? null : <span class="json-name">{visibleText(name)}: </span>;
}

function Leaf({ value }: { readonly value: unknown }): ComponentChild {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string")
    return <span class={`json-${typeof value}`}>{JSON.stringify(value) ?? "undefined"}</span>;
  const text = visibleText(JSON.stringify(value));
  if (isWhole || text.length <= longestText) return <span class="json-string">{text}</span>;
  return (
    <span class="json-string">
      {text.slice(0, longestText)}…{" "}
      <button type="button" class="link" onClick={() => setWhole(true)}>
        Show all {text.length} characters
      </button>
    </span>
  );
}

const longestText = 2_000;
