import { describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import { compileMessage } from './compile-message.ts';
import { inBlock, inMessage, type Blocks } from './engine/expand-blocks.ts';

const BLOCKS: Blocks = {
  footer: { html: '<p>Shop, {{ user.city }}</p>', text: 'Shop, {{ user.city }}' },
  banner: { html: '<b>Sale</b>', text: null },
  note: { html: null, text: 'STOP ends this.' },
  link: { html: null, text: 'javascript:alert(1)' },
  broken: { html: 'a\n<a href={{ user.city }}>x</a>', text: 'a\n {{ nope }}' },
};

const compile = (message: object, { channel = 'EMAIL' as Channel, blocks = BLOCKS } = {}) =>
  compileMessage({ channel, message: message as PushMessage, pointer: '/message', blocks });
const expanded = (message: object, channel: Channel = 'EMAIL') => {
  const result = compile(message, { channel });
  return result.ok ? result.compiled.expanded.map(({ text }) => text) : result.errors;
};

describe('a block stands in the place of its tag', () => {
  test.each([
    ['in HTML', '<h1>Hi</h1>{% block "footer" %}', '<h1>Hi</h1><p>Shop, {{ user.city }}</p>'],
    ['in plain text', 'Hi\n{% block "footer" %}\n', 'Hi\nShop, {{ user.city }}\n'],
    ['with apostrophes', "{%block 'footer'%}", 'Shop, {{ user.city }}'],
    ['without white space around it', 'a \n {%- block "note" -%} \n b', 'aSTOP ends this.b'],
    ['twice', '{% block "note" %} {%- block "note" %}', 'STOP ends this.STOP ends this.'],
    [
      'in a condition',
      '{% if user.city %}{% block "note" %}{% endif %}',
      '{% if user.city %}STOP ends this.{% endif %}',
    ],
    [
      'with HTML alone, in a mail without tags',
      'Hi {% block "banner" %} {% block "footer" %}',
      'Hi <b>Sale</b> <p>Shop, {{ user.city }}</p>',
    ],
  ])('%s', (_place, body, text) => {
    expect(expanded({ body })).toEqual([text]);
  });

  test.each([
    ['raw', '{% raw %}{% block "x" %}{% endraw %}'],
    ['a comment', '{% comment %}{% block "x" %}{% endcomment %}'],
    ['a text that is quoted', '{% assign a = "{% block \'x\' %}" %}'],
  ])('but not in %s', (_place, body) => {
    expect(expanded({ body })).toEqual([]);
  });

  test('also in the texts of lists and objects', () => {
    expect(
      expanded(
        {
          body: 'x',
          customContent: { a: [{ b: '{% block "note" %}' }] },
          buttons: [{ label: '{% block "note" %}', link: 'https://a.example/' }],
        },
        'APP_PUSH',
      ),
    ).toEqual(['STOP ends this.', 'STOP ends this.']);
  });

  test('its variables are those of the message', () => {
    const result = compile({ title: '{{ user.firstName }}', body: '{% block "footer" %}' });

    expect(result.ok && result.compiled.variables.map(({ name }) => name)).toEqual([
      'user.city',
      'user.firstName',
    ]);
  });
});

describe('a fault names its place', () => {
  const inTheMessage = (body: string, channel: Channel = 'EMAIL') => {
    const result = compile({ body }, { channel });
    return result.ok ? [] : result.errors.map(inMessage);
  };

  test.each([
    [
      'a block that there is not',
      'a\n {% block "nosuch" %}',
      'invalid_value',
      'a block that exists',
      2,
      2,
    ],
    ['a name of Object', '{% block "constructor" %}', 'invalid_value', 'a block that exists', 1, 1],
    ['no quotes', '{% block footer %}', 'template_syntax', 'the name of a block in quotes', 1, 1],
    ['two names', '{% block "a" "b" %}', 'template_syntax', 'the name of a block in quotes', 1, 1],
    ['no HTML', '<p>{% block "note" %}', 'invalid_value', 'a block with HTML', 1, 4],
    [
      'behind a block',
      '<p>{% block "footer" %}\n\n  {{ nope }}',
      'unknown_variable',
      'one of user, campaign, event, run',
      3,
      6,
    ],
    [
      'before a block',
      '<p>\n{{ nope }}{% block "footer" %}',
      'unknown_variable',
      'one of user, campaign, event, run',
      2,
      4,
    ],
    [
      'in a block',
      '<p>\n {% block "broken" %}',
      'unsafe_place',
      'an output in text or in an attribute value in quotes, in line 2, column 9 of the block broken',
      2,
      2,
    ],
    [
      'in the plain text of a block',
      '\n\n{% block "broken" %}',
      'unknown_variable',
      'one of user, campaign, event, run, in line 2, column 5 of the block broken',
      3,
      1,
    ],
  ] as const)('%s', (_what, body, code, expected, line, column) => {
    expect(inTheMessage(body)).toEqual([
      { pointer: '/message/body', code, expected, line, column },
    ]);
  });

  test('no plain text', () => {
    expect(inTheMessage('a {% block "banner" %}', 'SMS')).toMatchObject([
      { expected: 'a block with plain text', line: 1, column: 3 },
    ]);
  });

  test('a text that may name none says so', () => {
    const result = compileMessage({
      channel: 'SMS',
      message: { body: 'a {% block "note" %}' },
      pointer: '',
    });

    expect(!result.ok && result.errors).toMatchObject([
      {
        code: 'template_syntax',
        expected: 'a block in the text of a template alone',
        line: 1,
        column: 3,
      },
    ]);
  });

  test('to the author of a block with the variant', () => {
    const fault = { pointer: '/variants/1/message/buttons/0/link', code: 'too_long' } as const;

    expect(inBlock(fault, 'a', 'the template b').expected).toBe(
      ', in the template b: variant 2, buttons/0/link',
    );
  });

  test('to the author of a block in the block', () => {
    const result = compile({ body: '<p>\n{% block "broken" %}' });

    expect(
      !result.ok && result.errors.map((fault) => inBlock(fault, 'broken', 'the template a')),
    ).toEqual([
      {
        pointer: '/html',
        code: 'unsafe_place',
        line: 2,
        column: 9,
        expected: 'an output in text or in an attribute value in quotes, in the template a',
      },
    ]);
    expect(
      !result.ok && result.errors.map((fault) => inBlock(fault, 'other', 'the template a')),
    ).toMatchObject([
      {
        pointer: '/html',
        expected:
          'an output in text or in an attribute value in quotes, in the template a: body, line 2, column 1',
      },
    ]);
  });
});

describe('a text with blocks has the limits of a text', () => {
  const long = { long: { html: null, text: 'x'.repeat(LIMITS.blockCharsMax) } };

  test('thousands of tags of a long block end at the limit', () => {
    const result = compile({ body: '{% block "long" %}'.repeat(10_000) }, { blocks: long });

    expect(!result.ok && result.errors).toMatchObject([{ code: 'too_long', line: 1, column: 73 }]);
  });

  test('its texts count together', () => {
    const body = 'é'.repeat(LIMITS.templateBytesMax / 2 - LIMITS.blockCharsMax / 2);
    const fits = compile({ body: `${body}{% block "long" %}` }, { blocks: long });
    const exceeds = compile({ title: 'x', body: `${body}{% block "long" %}` }, { blocks: long });

    expect(fits.ok).toBe(true);
    expect(!exceeds.ok && exceeds.errors).toMatchObject([
      { code: 'too_long', pointer: '/message/body' },
    ]);
  });
});
