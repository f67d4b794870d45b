import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGuides } from './guides.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tidings-guides-'));
  mkdirSync(join(dir, 'guides'));
  writeFileSync(
    join(dir, 'guides', 'send-events.md'),
    [
      '# Send `events`',
      'See [push](push.md#first), [settings](../settings.md), [all guides](.), [the code](../../packages/x.ts), [web](https://a.example/?b=1&c), [here](#end).',
      '![The way](../way.svg)',
      'A <script>alert(1)</script> and `<b>`.',
      '<!-- table: generated -->',
      '## End',
      '## End',
      '| a | b |',
      '| --- | --- |',
      '| `1` | 2 |',
    ]
      .join('\n\n')
      .replaceAll('|\n\n|', '|\n|'),
  );
  writeFileSync(
    join(dir, 'guides', 'push.md'),
    '# Push\n\n`POST /push` sends v1.0 of it. It is quick.\n\n```sh\ncurl /push\n```\n\n```\nsent\n```\n',
  );
  writeFileSync(join(dir, 'guides', 'README.md'), '# Guides\n');
  writeFileSync(
    join(dir, 'README.md'),
    '# All\n\n[push](guides/push.md), [guides](guides/README.md)\n',
  );
  writeFileSync(join(dir, 'settings.md'), 'No heading\n');
});
afterAll(() => rmSync(dir, { recursive: true }));

const guideAt = (path: string) => readGuides(dir).find((guide) => guide.path === path);

test('each document is a page of its path, named by its heading, in the order of the index', () => {
  expect(readGuides(dir).map(({ path, title, folder }) => [path, title, folder])).toEqual([
    ['guides/push', 'Push', 'guides'],
    ['guides', 'Guides', ''],
    ['documents', 'All', ''],
    ['guides/send-events', 'Send events', 'guides'],
    ['settings', 'settings.md', ''],
  ]);
});

test('links lead to pages; to a file without a page there is no link', () => {
  const { html = '' } = guideAt('guides/send-events')?.render() ?? {};

  expect(html).toContain('<a href="/docs/guides/push#first">push</a>');
  expect(html).toContain('<a href="/docs/settings">settings</a>');
  expect(html).toContain('<a href="/docs/guides">all guides</a>');
  expect(html).toContain('<a href="https://a.example/?b=1&amp;c">web</a>');
  expect(html).toContain('<a href="#end">here</a>');
  expect(html).toContain('<img src="/docs/way.svg" alt="The way">');
  expect(html).toContain(', the code, ');
});

test('markup is text, headings have the ids of GitHub, tables are tables', () => {
  const { html = '' } = guideAt('guides/send-events')?.render() ?? {};

  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).toContain('<code>&lt;b&gt;</code>');
  expect(html).not.toContain('generated');
  expect(html).toContain('<h1 id="send-events">Send <code>events</code></h1>');
  expect([...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id)).toEqual(['end', 'end-1']);
  expect(html).toContain('<td><code>1</code></td><td>2</td>');
});

test('the summary is the first sentence of a document that begins with a paragraph', () => {
  expect(guideAt('guides/push')?.summary).toBe('`POST /push` sends v1.0 of it.');
  expect(guideAt('guides')?.summary).toBe('');
});

test('code has a copy button, output has none', () => {
  const { html = '' } = guideAt('guides/push')?.render() ?? {};

  expect(html).toContain(
    '<button type="button" class="copy">Copy</button><pre tabindex="0"><code>curl /push</code></pre>',
  );
  expect(html).toMatch(/<\/div>\n<pre tabindex="0"><code>sent<\/code><\/pre>/);
});

test('without the folder there are none', () => {
  expect(readGuides(join(dir, 'nothing'))).toEqual([]);
});
