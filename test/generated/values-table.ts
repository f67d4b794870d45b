import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';

const CHART_DIR = resolve(import.meta.dirname, '..', '..', 'helm', 'tidings');

const START = '<!-- values: made by `npm run generate` -->';
const END = '<!-- end of values -->';

/** A comment with this prefix describes the value below it. */
const MARK = /^\s*--\s/;
/** Longer defaults are not shown in the table. */
const INLINE_MAX = 60;

type Row = { readonly path: string; readonly fallback: unknown; readonly text: string };

/** A Markdown table of all values with a description. */
function valuesTable(): string {
  const { contents } = parseDocument(readFileSync(join(CHART_DIR, 'values.yaml'), 'utf8'));
  if (!isMap(contents)) throw new Error('values.yaml is no map');
  const rows = listRows(contents, []).map(
    ({ path, fallback, text }) => `| \`${path}\` | ${shown(fallback)} | ${text} |`,
  );
  return ['| value | default | what it is for |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The chart's README with the current table between its marks. @throws if the marks are missing */
export function withValuesTable(readme: string): string {
  const [before, rest] = readme.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('the README of the chart lacks the marks of the table of values');
  return `${before}${START}\n${valuesTable()}\n${END}${after}`;
}

function listRows(map: YAMLMap, above: readonly string[]): readonly Row[] {
  return map.items.flatMap(({ key, value }, index) => {
    if (!isScalar(key)) throw new Error(`a key below ${above.join('.')} is no name`);
    const path = [...above, String(key.value)];
    // A comment before the first entry of a map belongs to the map.
    const text = describedBy(
      index === 0 ? (key.commentBefore ?? map.commentBefore) : key.commentBefore,
    );
    if (text !== undefined) return [{ path: path.join('.'), fallback: toJson(value), text }];
    return isMap(value) ? listRows(value, path) : [];
  });
}

/** The text after the last mark, on one line. */
function describedBy(comment: string | null | undefined): string | undefined {
  const lines = (comment ?? '').split('\n');
  const start = lines.findLastIndex((line) => MARK.test(line));
  if (start < 0) return undefined;
  return lines
    .slice(start)
    .map((line) => line.replace(MARK, '').trim())
    .join(' ')
    .replaceAll('|', '\\|')
    .replaceAll(/<(\w+)>/g, '‹$1›');
}

function toJson(value: unknown): unknown {
  return typeof value === 'object' &&
    value !== null &&
    'toJSON' in value &&
    typeof value.toJSON === 'function'
    ? (value.toJSON() as unknown)
    : value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  if (value === '' || value === null || text === '{}' || text === '[]') return 'none';
  return text.length > INLINE_MAX ? 'see values.yaml' : `\`${text.replaceAll(/^"|"$/g, '')}\``;
}
