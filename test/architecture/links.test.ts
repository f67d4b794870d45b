import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT_DIR } from './source-files.ts';

const MARKDOWN = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  {
    cwd: ROOT_DIR,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT_DIR, path)));

/** Without code: neither a fenced block nor code in a line has links or headings. */
const proseOf = (path: string): string =>
  readFileSync(join(ROOT_DIR, path), 'utf8').replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '');

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');

/** The anchors of a document. A heading that repeats an earlier one gets a number. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(path).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading);
    let copy = 0;
    while (anchors.has(copy === 0 ? anchor : `${anchor}-${copy}`)) copy++;
    anchors.add(copy === 0 ? anchor : `${anchor}-${copy}`);
  }
  return anchors;
}

/** The relative links of a document that lead to no file or no heading. */
function brokenLinksOf(path: string): readonly string[] {
  const prose = proseOf(path).replaceAll(/`[^`\n]*`/g, '');
  const targets = [
    ...[...prose.matchAll(/\]\((?:<([^>]*)>|([^)\s]*))[^)]*\)/g)].map(([, a, b]) => a ?? b ?? ''),
    ...[...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)].map(([, target = '']) => target),
  ].filter((target) => !/^(?:https?|mailto):/.test(target));
  return targets.filter((target) => {
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? path : normalize(join(dirname(path), file));
    if (to.startsWith('..') || !existsSync(join(ROOT_DIR, to))) return true;
    return anchor !== undefined && to.endsWith('.md') && !anchorsOf(to).has(anchor);
  });
}

test('a heading has the anchor that GitHub gives it', () => {
  expect(anchorOf('`POST /` — send events')).toBe('post---send-events');
  expect(anchorOf('The way of a [batch](x.md)')).toBe('the-way-of-a-batch');
});

test.each(MARKDOWN)('%s links only to files and headings that exist', (path) => {
  expect(brokenLinksOf(path)).toEqual([]);
});

const SCRIPTS = new Set(
  Object.keys(
    (
      JSON.parse(readFileSync(join(ROOT_DIR, 'package.json'), 'utf8')) as {
        readonly scripts: Readonly<Record<string, string>>;
      }
    ).scripts,
  ),
);

test.each(MARKDOWN)('%s names only npm scripts that exist', (path) => {
  const text = readFileSync(join(ROOT_DIR, path), 'utf8');
  const named = [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)];

  expect(
    named.map(([, script, short]) => script ?? short ?? '').filter((name) => !SCRIPTS.has(name)),
  ).toEqual([]);
});

/** Settings, metrics and source files, as documents name them. A name that ends in `…` or `*` stands for several. */
const NAME =
  /\b(?:(?:tidings|bus)_[a-z0-9_]+[a-z0-9]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|sql))\b(?!_?[…*])/g;
/** Placeholders of commands, and examples. */
const EXAMPLES = new Set(['NN_name.sql', 'DELIVERY_ID', 'WEBHOOK_ID', 'USER_TOKEN_SECRET']);

test('documents name only settings, metrics and files that exist', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT_DIR, encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(?:[cm]?tsx?|mjs|ya?ml|sql|json|tpl)$/.test(path))
    .filter((path) => !path.startsWith('test/architecture/links'))
    .filter((path) => existsSync(join(ROOT_DIR, path)));
  const names = new Set(
    files.flatMap((path) => [
      path.slice(path.lastIndexOf('/') + 1),
      ...(readFileSync(join(ROOT_DIR, path), 'utf8').match(/\b\w*_\w+\b/g) ?? []),
    ]),
  );
  // Metrics of a histogram, and those that Prometheus clients make, have names that no file contains.
  const isKnown = (name: string): boolean =>
    names.has(name) || EXAMPLES.has(name) || names.has(name.replace(/_(?:bucket|sum|count)$/, ''));

  const unknown = MARKDOWN.filter((path) => path !== 'CHANGELOG.md').flatMap((path) =>
    [...readFileSync(join(ROOT_DIR, path), 'utf8').matchAll(NAME)]
      .map(([name]) => name)
      .filter((name) => !isKnown(name))
      .map((name) => `${path}: ${name}`),
  );
  expect([...new Set(unknown)]).toEqual([]);
});
