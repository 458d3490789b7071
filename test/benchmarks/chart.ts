/** Bar of a chart. */
export interface Bar {
  readonly kind: "own" | "peer" | "floor";
  readonly label: string;
  readonly value: number;
  /** Text at the end of the bar. */
  readonly text: string;
}

export interface Chart {
  readonly title: string;
  /** Text alternative. */
  readonly description: string;
  readonly bars: readonly Bar[];
}

export type Theme = "light" | "dark";

const themes: Readonly<Record<Theme, Readonly<Record<"text" | Bar["kind"], string>>>> = {
  light: { text: "#1f2328", own: "#0969da", peer: "#8c959f", floor: "#d1d9e0" },
  dark: { text: "#f0f6fc", own: "#4493f8", peer: "#6e7681", floor: "#3d444d" },
};

const width = 840;
const rowHeight = 30;
const barHeight = 18;
const headHeight = 40;
/** Space for the labels, and for the texts after the bars. */
const labelWidth = 300;
const textWidth = 190;

/** Draws bars from the left, with their labels and values. The background is transparent. */
export function drawChart({ title, description, bars }: Chart, theme: Theme): string {
  const colors = themes[theme];
  const height = headHeight + bars.length * rowHeight + 10;
  const highest = Math.max(...bars.map(({ value }) => value));
  const rows = bars.map(({ kind, label, value, text }, index) => {
    const middle = headHeight + index * rowHeight + rowHeight / 2;
    const length = Math.max(1, (value / highest) * (width - labelWidth - textWidth));
    const weight = kind === "own" ? ' font-weight="600"' : "";
    return `  <text x="${labelWidth - 10}" y="${middle}" text-anchor="end"${weight}>${escape(label)}</text>
  <rect x="${labelWidth}" y="${middle - barHeight / 2}" width="${length.toFixed(1)}" height="${barHeight}" rx="2" fill="${colors[kind]}" />
  <text x="${(labelWidth + length + 8).toFixed(1)}" y="${middle}"${weight}>${escape(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
  <title id="title">${escape(title)}</title>
  <desc id="description">${escape(description)}</desc>
  <style>
    text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; fill: ${colors.text}; dominant-baseline: central; }
  </style>
  <text x="10" y="20" style="font-size: 15px; font-weight: 600">${escape(title)}</text>
${rows.join("\n")}
</svg>
`;
}

/** Escapes a text for XML, in contents and in attributes. */
export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
