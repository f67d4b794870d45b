import { describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { FieldCode } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import { compileMessage } from './compile-message.ts';
import { TEXT_LIMITS } from './engine/limits.ts';

type Row = readonly [
  name: string,
  message: object,
  pointer: string,
  code: FieldCode,
  place?: string | undefined,
  channel?: Channel,
];
const body = (text: string) => ({ body: text });
const B = '/message/body';

const ROWS: readonly Row[] = [
  ['an output that does not end', body('Hi {{ user.firstName'), B, 'template_syntax', '1:4'],
  ['a tag that does not end', body('Hi\n  {% if user.city '), B, 'template_syntax', '2:3'],
  ['a block that does not end', body('a\n{% if user.city %}x'), B, 'template_syntax', '2:1'],
  ['a loop that does not end', body('{% for i in (1..2) %}'), B, 'template_syntax', '1:1'],
  ['a raw block that does not end', body('{% raw %}x'), B, 'template_syntax', '1:10'],
  ['an end without its block', body('x{% endif %}'), B, 'template_syntax', '1:2'],
  ['an else without its block', body('{% else %}'), B, 'template_syntax', '1:1'],
  [
    'a second else',
    body('{% if user.city %}{% else %}{% else %}{% endif %}'),
    B,
    'template_syntax',
    '1:1',
  ],
  ['a tag that does not exist', body('\n\n {% shout %}'), B, 'template_syntax', '3:2'],
  ['a tag that reads a file', body('{% include "a" %}'), B, 'template_syntax', '1:1'],
  ['render', body('{% render "a" %}'), B, 'template_syntax', '1:1'],
  ['layout', body('{% layout "a" %}'), B, 'template_syntax', '1:1'],
  [
    'a tag that writes HTML',
    body('{% tablerow i in (1..2) %}{% endtablerow %}'),
    B,
    'template_syntax',
    '1:1',
  ],
  ['a tag that changes data', body('{% increment user %}'), B, 'template_syntax', '1:1'],
  ['liquid in a tag', body('{% liquid assign a = 1 %}'), B, 'template_syntax', '1:1'],
  ['a filter that does not exist', body('x {{ user.city | shout }}'), B, 'template_syntax', '1:3'],
  ['a bar without a filter', body('Hi\n {{ user.city | }}'), B, 'template_syntax', '2:2'],
  [
    'a second bar without a filter',
    body('{{ user.city | upcase |-}}'),
    B,
    'template_syntax',
    '1:1',
  ],
  [
    'a bar without a filter between two',
    body('{{ user.city | | upcase }}'),
    B,
    'template_syntax',
    '1:16',
  ],
  ['a bar in an assignment', body('{% assign x = user.city | %}'), B, 'template_syntax', '1:1'],
  [
    'a bar at the end of a condition',
    body('{% if user.city |%}x{% endif %}'),
    B,
    'template_syntax',
    '1:1',
  ],
  ['raw, which would not escape', body('{{ user.city | raw }}'), B, 'template_syntax', '1:1'],
  ['a random filter', body('{{ user.city | shuffle }}'), B, 'template_syntax', '1:1'],
  [
    'a filter with expressions',
    body('{{ user.city | where_exp: "i", "i" }}'),
    B,
    'template_syntax',
    '1:1',
  ],
  ['a loop without a list', body('{% for i %}x{% endfor %}'), B, 'template_syntax', '1:1'],
  ['an assignment without a value', body('{% assign x %}'), B, 'template_syntax', '1:13'],
  ['an assignment without a name', body('{% assign = 1 %}'), B, 'template_syntax', '1:11'],
  ['an empty condition', body('{% if %}x{% endif %}'), B, 'template_syntax', '1:6'],
  ['a variable of no kind', body('Hi {{ firstName }}'), B, 'unknown_variable', '1:7'],
  ['a misspelt root', body('\n{{ usr.firstName }}'), B, 'unknown_variable', '2:4'],
  ['a misspelt field', body('{{ user.frstName }}'), B, 'unknown_variable', '1:4'],
  ['a hash of an address', body('{{ user.hashedEmail }}'), B, 'unknown_variable', '1:4'],
  ['the whole user', body('{{ user }}'), B, 'unknown_variable', '1:4'],
  ['all attributes', body('{{ user.customAttributes }}'), B, 'unknown_variable', '1:4'],
  ['a computed field', body('{{ user[user.city] }}'), B, 'unknown_variable', '1:4'],
  [
    'an unknown variable in a condition',
    body('{% if plan == 1 %}x{% endif %}'),
    B,
    'unknown_variable',
    '1:7',
  ],
  [
    'an unknown variable in a filter',
    body('{{ user.city | append: name }}'),
    B,
    'unknown_variable',
    '1:24',
  ],
  [
    'an unknown variable in a list',
    body('{% for i in items %}{% endfor %}'),
    B,
    'unknown_variable',
    '1:13',
  ],
  [
    'unsubscribeUrl elsewhere than in mail',
    body('{{ unsubscribeUrl }}'),
    B,
    'unknown_variable',
    '1:4',
    'SMS',
  ],
  [
    'unsubscribeUrl with a filter',
    body('{{ unsubscribeUrl | upcase }}'),
    B,
    'unknown_variable',
    '1:4',
  ],
  [
    'unsubscribeUrl in a subject',
    { title: '{{unsubscribeUrl}}', body: 'x' },
    '/message/title',
    'unknown_variable',
    '1:3',
  ],
  ['a value as a tag', body('<p><{{ user.city }}>'), B, 'unsafe_place', '1:5'],
  ['a value as the end of a tag', body('<p></{{ user.city }}>'), B, 'unsafe_place', '1:6'],
  ['a value in the name of a tag', body('<p><h{{ user.city }}>'), B, 'unsafe_place', '1:6'],
  ['a value as an attribute', body('<p {{ user.city }}>'), B, 'unsafe_place', '1:4'],
  ['a value as an attribute name', body('<p a{{ user.city }}="x">'), B, 'unsafe_place', '1:5'],
  ['a value without quotes', body('<p>\n<a href={{ user.city }}>x</a>'), B, 'unsafe_place', '2:9'],
  [
    'a value in a script',
    body('<p><script>x="{{ user.city }}"</script>'),
    B,
    'unsafe_place',
    '1:15',
  ],
  [
    'a value that continues a host',
    body('<p><a href="https://shop.example{{ user.city }}">x</a>'),
    B,
    'unsafe_place',
    '1:33',
  ],
  ['a value in a style', body('<p><style>{{ user.city }}</style>'), B, 'unsafe_place', '1:11'],
  ['a value in a style attribute', body('<p style="{{ user.city }}">'), B, 'unsafe_place', '1:11'],
  ['a value in a handler', body('<p onclick="{{ user.city }}">'), B, 'unsafe_place', '1:13'],
  ['a value in a comment', body('<p><!-- {{ user.city }} -->'), B, 'unsafe_place', '1:9'],
  [
    'a value in the condition of a comment',
    body('<p><!--[if {{ user.city }}]>x<![endif]-->'),
    B,
    'unsafe_place',
    '1:12',
  ],
  [
    'a value without quotes in a comment that Outlook reads',
    body('<p><!--[if mso]><td width={{ user.city }}><![endif]-->'),
    B,
    'unsafe_place',
    '1:27',
  ],
  [
    'a value in a style that Outlook reads',
    body('<p><!--[if mso]><style>{{ user.city }}</style><![endif]-->'),
    B,
    'unsafe_place',
    '1:24',
  ],
  [
    'unsubscribeUrl in a capture',
    body('<p>{% capture x %}{{ unsubscribeUrl }}{% endcapture %}{{ x }}'),
    B,
    'unsafe_place',
    '1:19',
  ],
  [
    'a value behind unsubscribeUrl in a link',
    body('<a href="{{ unsubscribeUrl }}{{ user.city }}">x</a>'),
    B,
    'unsafe_place',
    '1:30',
  ],
  [
    'a value behind unsubscribeUrl in a plain text',
    body('Stop: {{ unsubscribeUrl }}{{ user.city }}'),
    B,
    'unsafe_place',
    '1:7',
  ],
  [
    'a path behind unsubscribeUrl in a link',
    body('<p>\n<a href="{{ unsubscribeUrl }}/x">x</a>'),
    B,
    'unsafe_place',
    '2:4',
  ],
  [
    'a value after a script scheme',
    body('<a href="javascript:{{ user.city }}">'),
    B,
    'unsafe_place',
    '1:21',
  ],
  [
    'a value after a hidden script scheme',
    body('<a href=" java&#115;cript:{{ user.city }}">'),
    B,
    'unsafe_place',
    '1:27',
  ],
  [
    'a value that redirects',
    body('<meta http-equiv="refresh" content="0;{{ user.city }}">'),
    B,
    'unsafe_place',
    '1:39',
  ],
  ['a value in srcdoc', body('<iframe srcdoc="{{ user.city }}">'), B, 'unsafe_place', '1:17'],
  ['a reserved character', body('{{ user.city }}\n \uFDD0'), B, 'invalid_value', '2:2'],
  [
    'an output of many characters',
    body(`{{ user.city | append: "${'x'.repeat(TEXT_LIMITS.tokenCharsMax)}" }}`),
    B,
    'too_long',
    '1:1',
  ],
  ['many outputs', body('{{ user.city }}'.repeat(TEXT_LIMITS.tokensMax + 1)), B, 'too_many', '1:1'],
  [
    'many blocks within each other',
    body('{% if user.city %}'.repeat(TEXT_LIMITS.depthMax + 1)),
    B,
    'too_deep',
    '1:361',
  ],
  [
    'text beyond the limit',
    body(`${'x'.repeat(LIMITS.templateBytesMax)}{{ user.city }}`),
    B,
    'too_long',
    undefined,
  ],
  [
    'a title',
    { title: 'a {{ nope }}', body: 'x' },
    '/message/title',
    'unknown_variable',
    '1:6',
    'WEB_PUSH',
  ],
  [
    'a link',
    { body: 'x', url: 'https://x/{{ nope }}' },
    '/message/url',
    'unknown_variable',
    '1:14',
    'WEB_PUSH',
  ],
  [
    'an image',
    { body: 'x', images: [{ url: 'https://x' }, { url: 'https://x/{{ nope }}' }] },
    '/message/images/1/url',
    'unknown_variable',
    '1:14',
    'WEB_PUSH',
  ],
  [
    'a button',
    { body: 'x', buttons: [{ label: '{{ nope }}', link: 'https://x' }] },
    '/message/buttons/0/label',
    'unknown_variable',
    '1:4',
    'APP_PUSH',
  ],
  [
    'custom content',
    { body: 'x', customContent: { 'a/b': ['{{ nope }}'] } },
    '/message/customContent/a~1b/0',
    'unknown_variable',
    '1:4',
    'APP_PUSH',
  ],
  [
    'the body of a hook',
    { body: { a: '{{ nope }}' } },
    '/message/body/a',
    'unknown_variable',
    '1:4',
    'WEB_HOOK',
  ],
];

describe('a template that cannot be used', () => {
  test.each(ROWS)('%s', (_name, message, pointer, code, place, channel = 'EMAIL') => {
    const result = compileMessage({
      channel,
      message: message as PushMessage,
      pointer: '/message',
    });

    const errors = result.ok ? [] : result.errors;
    expect(
      errors.map((error) => [
        error.pointer,
        error.code,
        error.line === undefined ? undefined : `${error.line}:${error.column}`,
      ]),
    ).toEqual([[pointer, code, place]]);
    expect(errors[0]?.expected).not.toMatch(/shout|nope|frstName/);
  });

  test.each([
    ['{% if user.city %}x', '{% endif %} after this tag'],
    ['{%- for i in (1..2) -%}', '{% endfor %} after this tag'],
    ['{% if user.city ', 'an end of this tag or output'],
  ])('%s expects its end', (text, expected) => {
    const result = compileMessage({
      channel: 'EMAIL',
      message: body(text) as PushMessage,
      pointer: '/message',
    });

    expect(result).toMatchObject({ ok: false, errors: [{ expected }] });
  });

  test.each(['{{ user.city | }}', '{{ user.city | | upcase }}'])('%s expects a filter', (text) => {
    expect(
      compileMessage({ channel: 'SMS', message: body(text) as PushMessage, pointer: '/message' }),
    ).toMatchObject({
      ok: false,
      errors: [{ expected: 'the name of a filter after the bar' }],
    });
  });

  test.each([
    ['in a comment', '{% comment %}{{ user.city | }}{% endcomment %}'],
    ['in a comment of one tag', '{% # a | %}'],
    ['in raw text', '{% raw %}{{ user.city | }}{% endraw %}'],
    ['in a text', '{{ "a|" }}{{ user.city | append: "|" }}'],
  ])('a bar %s is no filter', (_where, text) => {
    expect(
      compileMessage({ channel: 'SMS', message: body(text) as PushMessage, pointer: '/message' }),
    ).toMatchObject({
      ok: true,
    });
  });

  test('each text has its own fault', () => {
    const message = { title: '{{ nope }}', body: '{% if %}' } as PushMessage;

    const result = compileMessage({ channel: 'EMAIL', message, pointer: '/message' });

    expect(result.ok ? [] : result.errors.map(({ pointer }) => pointer)).toEqual([
      '/message/title',
      '/message/body',
    ]);
  });
});

test('a message has a limit of outputs and tags in all of its texts', () => {
  const text = '{{ user.city }}'.repeat(1_500);
  const withTexts = (count: number) =>
    compileMessage({
      channel: 'WEB_HOOK',
      message: {
        title: 'x',
        body: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, text])),
      } as unknown as PushMessage,
      pointer: '/message',
    });

  expect(withTexts(3)).toMatchObject({ ok: true });
  expect(withTexts(4)).toMatchObject({
    ok: false,
    errors: [{ pointer: '/message/body/k3', code: 'too_many' }],
  });
});
