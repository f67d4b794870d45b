import { readFileSync } from 'node:fs';

const RULES = new URL('../../../../helm/tidings/files/alerts.yaml', import.meta.url);

type Sample = { readonly name: string; readonly labels: string; readonly value: number };

/** `max(m) > n`, `max by (a, b) (m) > n` or `absent(m)`. */
const EXPRESSION =
  /^(?:max(?: by \([a-z, ]+\) )?\((?<measured>\w+)\) > (?<bound>\d+)|absent\((?<absent>\w+)\))$/;

/**
 * The alerts of the chart whose expression is true for a scrape, by name, each with the labels of
 * the matching series. Supports alerts that compare one metric with a number, and ignores `for`.
 * @throws when the chart has no such alert, or its expression has another form
 */
export function firing(
  names: readonly string[],
  scrape: string,
): Readonly<Record<string, readonly string[]>> {
  const samples = parseSamples(scrape);
  const rules = readFileSync(RULES, 'utf8');
  const found = names.map(
    (name) => [name, findSeries(findExpression(name, rules), samples)] as const,
  );
  return Object.fromEntries(found.filter(([, series]) => series.length > 0));
}

function findExpression(name: string, rules: string): string {
  const expression = new RegExp(`- alert: ${name}\\n +expr: (.+)\\n`).exec(rules)?.[1];
  if (expression === undefined) throw new Error(`the chart has no alert ${name}`);
  return expression;
}

function findSeries(expr: string, samples: readonly Sample[]): readonly string[] {
  const { measured, bound, absent } = EXPRESSION.exec(expr)?.groups ?? {};
  if (absent !== undefined) return samples.some(({ name }) => name === absent) ? [] : [''];
  if (measured === undefined) throw new Error(`unsupported expression: ${expr}`);
  return samples
    .filter(({ name, value }) => name === measured && value > Number(bound))
    .map(({ labels }) => labels);
}

function parseSamples(scrape: string): Sample[] {
  return [...scrape.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value = '']) => ({ name, labels, value: Number(value) }),
  );
}
