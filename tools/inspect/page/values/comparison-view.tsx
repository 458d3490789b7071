import type { ComponentChild } from "preact";
import { useMemo, useState } from "preact/hooks";
import { compareValues, foldLines } from "./comparison.ts";
import { visibleText } from "./values.ts";

interface Side {
  readonly title: string;
  readonly value: unknown;
}

/** Differences of two values side by side, with a few lines around each. */
export function ComparisonView({ left, right }: { readonly left: Side; readonly right: Side }): ComponentChild {
  const lines = useMemo(() => compareValues(left.value, right.value), [left.value, right.value]);
  const [shown, setShown] = useState(pageSize);
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => (isWhole ? lines : foldLines(lines)), [lines, isWhole]);
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
            {rows.slice(0, shown).map((row, at) =>
              "folded" in row ? (
                <tr key={at}>
                  <td colSpan={2}>
                    <button type="button" class="link" onClick={() => setWhole(true)}>
                      Show {row.folded} equal {row.folded === 1 ? "line" : "lines"}
                    </button>
                  </td>
                </tr>
              ) : (
                <tr key={at} class={row.isSame ? undefined : "differs"}>
                  <Cell text={row.left} mark={row.isSame ? "" : "−"} />
                  <Cell text={row.right} mark={row.isSame ? "" : "+"} />
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + pageSize)}>
          Show more ({rows.length - shown} lines)
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
