/** Sample of a metric. */
export interface Sample {
  readonly name: string;
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const labelPattern = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,?)/;

/**
 * Parses the text format of Prometheus, version 0.0.4, strictly.
 *
 * @throws {Error} for a line that the format does not permit, for a metric without type or help, and for samples that are not together
 */
export function parsePrometheusText(text: string): readonly Sample[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error("The last line has no end");
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const helped = new Set<string>();
  let current = "";
  for (const line of text.split("\n").slice(0, -1)) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") {
      if (helped.has(name)) throw new Error(`${name} has two helps`);
      helped.add(name);
    } else if (kind === "TYPE") {
      if (types.has(name) || !helped.has(name)) throw new Error(`${name} has two types, or no help`);
      if (!["counter", "gauge", "histogram"].includes(rest)) throw new Error(`${name} has the type ${rest}`);
      types.set(name, rest);
      current = name;
    } else {
      samples.push(parseSample(line, { name: current, type: types.get(current) ?? "" }));
    }
  }
  return samples;
}

function parseSample(line: string, metric: { readonly name: string; readonly type: string }): Sample {
  const [name = ""] = namePattern.exec(line) ?? [];
  const suffixes = metric.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  if (!suffixes.some((suffix) => name === `${metric.name}${suffix}`))
    throw new Error(`A sample is out of place: ${line}`);
  const labels: Record<string, string> = {};
  let rest = line.slice(name.length);
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    while (!rest.startsWith("}")) {
      const [all, label = "", value = ""] = labelPattern.exec(rest) ?? [];
      if (all === undefined) throw new Error(`A label is invalid: ${line}`);
      labels[label] = value.replace(/\\([\\"n])/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
      rest = rest.slice(all.length);
    }
    rest = rest.slice(1);
  }
  if (!/^ \d+(\.\d+)?(e[+-]?\d+)?$/.test(rest)) throw new Error(`A value is invalid: ${line}`);
  return { name, type: metric.type, labels, value: Number(rest) };
}
