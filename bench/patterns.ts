/*
 * The longest time that one pattern and one text of up to 64 KiB take, compiling included: 10,000 patterns that are made up, and those that are known
 * to be slow. Processor time counts; each that takes more than 10 ms is measured again, and its best time counts.
 * Run: npx tsx bench/patterns.ts [seed]
 */
import { compileRe2 } from "../runtime/adapters/re2.ts";
import { compilePattern } from "../runtime/adapters/schema-patterns.ts";
import { createPatternSource, slowPatterns } from "../test/runtime/adapters/generated-patterns.ts";

const { pattern: next, text } = createPatternSource(Number(process.argv[2] ?? 1), "all");
const texts = Array.from({ length: 40 }, () => text(64 * 1024));

function time(pattern: string, subject: string): number {
  const started = process.cpuUsage();
  const compiled = compilePattern(pattern, { patterns: compileRe2 });
  try {
    compiled?.test(subject);
  } catch {
    // It was too long, which has to be found out in time as well.
  }
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

const times: { readonly pattern: string; readonly best: number }[] = [];
for (const [at, pattern] of [...slowPatterns, ...Array.from({ length: 10_000 }, next)].entries()) {
  const limit = compileRe2(pattern)?.maxLength ?? Infinity;
  const whole = at < slowPatterns.length ? texts : [texts[at % texts.length] ?? ""];
  for (const subject of whole.flatMap((one) => [one, one.slice(0, limit)])) {
    let best = time(pattern, subject);
    for (let again = 0; again < 5 && best > 10; again++) best = Math.min(best, time(pattern, subject));
    times.push({ pattern, best });
  }
}
times.sort((one, other) => other.best - one.best);
console.log(`${times.length} measurements; the slowest, in milliseconds:`);
for (const { pattern, best } of times.slice(0, 10)) console.log(best.toFixed(1).padStart(8), pattern.slice(0, 100));
