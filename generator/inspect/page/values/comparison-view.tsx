import type { ComponentChild } from "preact";
import { useMemo, useState } from "preact/hooks";
import { compareValues } from "./comparison.ts";
import { visibleText } from "./values.ts";

interface Side {
  readonly title: string;
  readonly value: unknown;
}

/** Two values side by side, with their differences marked. */
export function ComparisonView({ left, right }: { readonly left: Side; readonly right: Side }): ComponentChild {
  const lines = useMemo(() => compareValues(left.value, right.value), [left.value, right.value]);
  const [shown, setShown] = useState(pageSize);
  const count = lines.filter(({ isSame }) => !isSame).length;
  return (
    <div class="comparison">
      <p class={count === 0 ? "ok" : "warn"} role="status">
        {count === 0 ? "Both are the same." : `${count} ${count === 1 ? "line differs" : "lines differ"}.`}
      </p>
      <div class="scroll" tabIndex={0} role="group" aria-label={`${left.title} and ${right.title}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{left.title}</th>
              <th scope="col">{right.title}</th>
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, shown).map((line, at) => (
              <tr key={at} class={line.isSame ? undefined : "differs"}>
                <Cell text={line.left} mark={line.isSame ? "" : "−"} />
                <Cell text={line.right} mark={line.isSame ? "" : "+"} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {lines.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + pageSize)}>
          Show more ({lines.length - shown} lines)
        </button>
      )}
    </div>
  );
}

const pageSize = 1_000;

function Cell({ text, mark }: { readonly text: string | undefined; readonly mark: string }): ComponentChild {
  if (text === undefined) return <td class="absent" aria-label="absent" />;
  return (
    <td data-mark={mark}>
      {mark !== "" && <span class="sr-only">differs: </span>}
      {visibleText(text)}
    </td>
  );
}
