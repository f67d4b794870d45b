import { describe, expect, test } from '@jest/globals';
import { TEXT_LIMITS } from './engine/limits.ts';
import { compiled, renderText, tryRender, withAttributes } from './testing/render.ts';

const LONG = 'x'.repeat(30_000);
const user = withAttributes({
  long: LONG,
  huge: 9_007_199_254_740_992,
  list: { items: Array.from({ length: 1_000 }, () => 'y') },
});

/** Two texts, whose comparison reads 400,000 characters. */
const EQUAL_BUT_FOR_THE_END = `{% capture x %}${'x'.repeat(50_000)}{% endcapture %}${['a', 'b']
  .map((name) => `{% capture ${name} %}${'{{ x }}'.repeat(8)}${name}{% endcapture %}`)
  .join('')}`;

/** Each would take minutes, or gigabytes, without limits. */
const BOMBS: readonly (readonly [name: string, template: string])[] = [
  [
    'a text that is encoded again and again',
    `{% capture x %}${'ü'.repeat(100_000)}{% endcapture %}{{ x${' | url_encode'.repeat(70)} }}`,
  ],
  ['a range of a hundred million', '{% for i in (1..100000000) %}x{% endfor %}'],
  ['a range of infinitely many', '{% for i in (1..999999999999999999999999) %}x{% endfor %}'],
  [
    'a range whose numbers no longer grow',
    '{% for i in (9007199254740992..9007199254740994) %}x{% endfor %}',
  ],
  [
    'a range by a value of the user',
    '{% assign n = user.customAttributes.huge | plus: 2 %}{{ (user.customAttributes.huge..n) | join }}',
  ],
  ['loops in loops', `${'{% for i in (1..99) %}'.repeat(9)}x${'{% endfor %}'.repeat(9)}`],
  [
    'loops that write nothing',
    `${'{% for i in (1..99) %}'.repeat(9)}{% assign a = 1 %}${'{% endfor %}'.repeat(9)}`,
  ],
  [
    'a text that doubles',
    '{% assign a = "x" %}{% for i in (1..99) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
  ],
  [
    'a list that doubles',
    '{% assign a = "x,y" | split: "," %}{% for i in (1..99) %}{% assign a = a | concat: a %}{% endfor %}',
  ],
  [
    'a replacement that multiplies',
    '{% assign a = user.customAttributes.long %}{% for i in (1..9) %}{% assign a = a | replace: "x", "xxxxxxxxxx" %}{% endfor %}',
  ],
  [
    'a join that multiplies',
    '{{ user.customAttributes.list.items | join: user.customAttributes.long }}',
  ],
  ['a date of a billion digits', '{{ user.birthday | date: "%1000000000d" }}'],
  [
    'a capture that doubles',
    '{% capture a %}xx{% endcapture %}{% for i in (1..99) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}',
  ],
  [
    'an output of a long value, often',
    '{% for i in (1..9999) %}{{ user.customAttributes.long }}{% endfor %}',
  ],
  [
    'many filters in a loop',
    `{% for i in (1..9999) %}{{ i${' | plus: 1'.repeat(90)} }}{% endfor %}`,
  ],
  [
    'many branches in a loop',
    `{% for i in (1..9999) %}{% case i %}${'{% when 0 %}x'.repeat(2_400)}{% endcase %}{% endfor %}`,
  ],
  ...['contains', 'split', 'replace', 'replace_first', 'remove', 'remove_first'].flatMap((name) => [
    [`${name} of a long text`, searches(name, 20_000)] as const,
    [`${name} of a shorter text, often`, searches(name, 400)] as const,
  ]),
  [
    'operators on long texts',
    `${EQUAL_BUT_FOR_THE_END}{% for i in (1..500) %}{% if ${Array(60).fill('a==b').join(' or ')} %}x{% endif %}{% endfor %}`,
  ],
  [
    'values of branches, on long texts',
    `${EQUAL_BUT_FOR_THE_END}{% case a %}${`{% when ${Array(300).fill('b').join(',')} %}x`.repeat(200)}{% endcase %}`,
  ],
];

/** `aaa…b…aaa` in `aaaa…`: V8 compares nearly all characters of both at each place. */
function searches(name: string, chars: number): string {
  const half = 'a'.repeat(chars / 2);
  const texts = `{% capture a %}${'a'.repeat(100_000)}{% endcapture %}{% capture b %}${half}b${half}{% endcapture %}`;
  return name === 'contains'
    ? `${texts}{% if ${Array(50).fill('a contains b').join(' or ')} %}x{% endif %}`
    : `${texts}{{ a${` | ${name}: b${name.startsWith('replace') ? ', b' : ''}`.repeat(40)} }}`;
}

const MANY_VALUES = `{% for i in (1..2400) %}${'x'.repeat(400)}{{ i }}{% endfor %}`;

test.each([
  ['a link', 'WEB_PUSH', { title: 'a', body: 'b', url: MANY_VALUES }],
  ['a link after its start', 'WEB_PUSH', { title: 'a', body: 'b', url: `/${MANY_VALUES}` }],
  ['a link in HTML', 'IN_APP', { body: `<a href="${MANY_VALUES}">x</a>` }],
  ['a link in HTML after its start', 'IN_APP', { body: `<a href="/${MANY_VALUES}">x</a>` }],
] as const)('%s with very many values takes little work', (_name, channel, fields) => {
  const message = compiled(channel, fields);
  const before = process.cpuUsage();

  tryRender(message, user);

  const { user: cpu, system } = process.cpuUsage(before);
  expect((cpu + system) / 1_000).toBeLessThan(1_000);
});

describe('a template that would not end', () => {
  test.each(BOMBS)('%s ends with a fault, without much work', (_name, body) => {
    const message = compiled('EMAIL', { body });
    const heapBefore = process.memoryUsage().heapUsed;
    const before = process.cpuUsage();

    const rendered = tryRender(message, user);

    const { user: cpu, system } = process.cpuUsage(before);
    expect(rendered).toMatch(/^(limit|too_long): /);
    // The bound is some 400 ms; the rest is for a collection of garbage.
    expect((cpu + system) / 1_000).toBeLessThan(2_000);
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(200 * 1024 * 1024);
  });
});

test('steps without an output have their own limit', () => {
  const loops = (count: number) =>
    compiled('EMAIL', {
      body: `x{% for i in (1..${count}) %}{% for j in (1..100) %}{% assign x = j %}{% endfor %}{% endfor %}`,
    });

  expect(tryRender(loops(10), user)).toMatchObject({ body: 'x' });
  expect(tryRender(loops(1_000), user)).toBe('limit: too many steps');
});

test.each([
  [
    'bounds',
    '5000000000..5000000001',
    'limit: a range has a bound that is no number, or too large',
  ],
  ['length', '1..2000000', expect.stringMatching(/^limit: /)],
])('a range has a limit of its %s, though its loop ends at once', (_what, range, fault) => {
  const message = compiled('EMAIL', { body: `{% for i in (${range}) %}{% break %}{% endfor %}x` });

  expect(tryRender(message, user)).toEqual(fault);
});

test('a loop within the limits is rendered', () => {
  const loops = TEXT_LIMITS.stepsMax / 4;

  expect(renderText(`{% for i in (1..${loops}) %}{% endfor %}x`)).toBe('x');
});

test.each([
  ['outputs', '{{'.repeat(100_000)],
  ['tags', '{%'.repeat(100_000)],
  ['quotes', `{{ ${'"'.repeat(100_000)} }}`],
  ['parts of a name', `{{ user${'.a'.repeat(100_000)} }}`],
  ['brackets', `{{ user${'['.repeat(100_000)} }}`],
  ['tags of HTML', `${'<a href="'.repeat(20_000)}{{ user.city }}`],
  ['comments of HTML', `${'<!--'.repeat(50_000)}{{ user.city }}`],
])('parsing many %s takes little work', async (_name, body) => {
  const { compileMessage } = await import('./compile-message.ts');
  const before = process.cpuUsage();

  compileMessage({ channel: 'EMAIL', message: { body }, pointer: '/message' });

  const { user: cpu, system } = process.cpuUsage(before);
  expect((cpu + system) / 1_000).toBeLessThan(2_000);
});

test('the places of many outputs are found at once', async () => {
  const { compileMessage } = await import('./compile-message.ts');
  const body = `${'x'.repeat(90)}\n{{ user.city }}`.repeat(2_300);
  const before = process.cpuUsage();

  compileMessage({ channel: 'EMAIL', message: { body }, pointer: '/message' });

  const { user: cpu, system } = process.cpuUsage(before);
  expect((cpu + system) / 1_000).toBeLessThan(400);
});
