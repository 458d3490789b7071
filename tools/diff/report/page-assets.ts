/** Script to hide the rows without all of the search words. It changes only `hidden` and its own counter. */
export const filterScript = `
"use strict";
const search = document.getElementById("search");
const count = document.getElementById("count");
const rows = Array.from(document.querySelectorAll("[data-row]"), (row) => ({ row, text: row.textContent.toLowerCase() }));
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  count.textContent = words.length === 0 ? "" : shown + " of " + rows.length;
});
`;

/** Style for light and dark mode, large and small screens, and paper. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --line: light-dark(#e0e3e8, #30343b);
  --soft: light-dark(#f5f6f8, #1b1e23);
  --dim: light-dark(#5f6673, #9aa2af);
  --blue: light-dark(#1f5fbf, #8ab4f8);
  --red: light-dark(#b3261e, #f2948d);
  --amber: light-dark(#8a5300, #f0b860);
  --green: light-dark(#1d6b33, #7fd396);
}
* { box-sizing: border-box; }
body { background: light-dark(#fff, #121417); color: light-dark(#16191d, #e6e8eb); font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1200px; padding: 0 1rem 4rem; }
header { align-items: baseline; background: inherit; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 1rem 0; position: sticky; top: 0; z-index: 1; }
header p { color: var(--dim); flex: 1; margin: 0; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .75rem; }
input { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; color: inherit; font: inherit; padding: .25rem .6rem; width: 18rem; max-width: 100%; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
thead th { color: var(--dim); font-weight: 500; white-space: nowrap; }
tbody th { font-weight: 400; }
tbody tr:hover { background: var(--soft); }
.timeline { display: flex; flex-wrap: wrap; gap: 1rem 0; list-style: none; margin: 0; padding: 0; }
.timeline li { border-top: 2px solid var(--line); flex: 1 1 11rem; padding: .9rem 1rem 0 0; position: relative; }
.timeline li::before { background: light-dark(#fff, #121417); border: 2px solid var(--dim); border-radius: 50%; content: ""; height: .7rem; left: 0; position: absolute; top: calc(-.35rem - 1px); width: .7rem; }
.timeline small { color: var(--dim); display: block; }
.timeline .compared::before { background: var(--blue); border-color: var(--blue); }
.timeline .compared b, thead .compared { color: var(--blue); }
.chip, .verdict { border-radius: .8rem; display: inline-block; font-size: 12px; line-height: 1.3rem; padding: 0 .55rem; white-space: nowrap; }
.chip { background: color-mix(in srgb, var(--blue) 14%, transparent); }
td i { color: var(--dim); font-style: normal; opacity: .5; }
.new { box-shadow: inset 3px 0 var(--green); }
.gone { box-shadow: inset 3px 0 var(--red); }
.other { box-shadow: inset 3px 0 var(--amber); }
.legend { color: var(--dim); margin: 0 0 .5rem; }
.legend span { margin-right: .75rem; padding-left: .5rem; }
.breaking { background: color-mix(in srgb, var(--red) 14%, transparent); color: var(--red); font-weight: 600; }
.risky { background: color-mix(in srgb, var(--amber) 14%, transparent); color: var(--amber); }
.additive { background: color-mix(in srgb, var(--green) 14%, transparent); color: var(--green); }
.neutral { color: var(--dim); }
details { border-bottom: 1px solid var(--line); padding: .3rem 0; }
summary { cursor: pointer; }
.sides { table-layout: fixed; }
.sides td { border: 0; overflow-wrap: anywhere; }
pre { margin: 0; white-space: pre-wrap; }
ins { background: color-mix(in srgb, var(--green) 18%, transparent); text-decoration: none; }
del { background: color-mix(in srgb, var(--red) 18%, transparent); text-decoration: none; }
[hidden] { display: none; }
@media (max-width: 40rem) { header { position: static; } }
@media print { header { position: static; } label { display: none; } }
`;
