import { describe, expect, test } from '@jest/globals';
import { compileAccepted, compileMessage } from './compile-message.ts';
import { renderText, withAttributes } from './testing/render.ts';

describe('an output or tag is read to its end', () => {
  test.each([
    ['{{ user.firstName user.lastName }}', 1, 19],
    ['{{ user.firstName, user.lastName }}', 1, 18],
    ['a\n{{ user.city | upcase user.city }}', 2, 23],
    ["{{ 'it''s' }}", 1, 8],
    ['{% assign name = user.firstName user.lastName %}', 1, 33],
    ['{% if user.city user.firstName %}x{% endif %}', 1, 17],
    ['{% if user.city && user.firstName %}x{% endif %}', 1, 17],
    ['{% if user.city %}{% elsif user.city user.city %}{% endif %}', 1, 38],
    ['{% unless user.city or %}x{% endunless %}', 1, 23],
    ['{% unless user.city %}x{% else y %}{% endunless %}', 1, 32],
    ['{% if user.city %}x{% else if user.firstName %}y{% endif %}', 1, 28],
    ['{% case user.city user.city %}{% when "a" %}{% endcase %}', 1, 19],
    ['{% case user.city %}{% when "a" "b" %}{% endcase %}', 1, 33],
    ['{% case user.city %}{% when "a" and "b" %}{% endcase %}', 1, 33],
    ['{% cycle "a" "b" %}', 1, 14],
    ['{% capture a b %}{% endcapture %}', 1, 14],
    ['{% for i in (1..2) reverse %}{% endfor %}', 1, 20],
    ['{% for i in (1..2) limit: 1 ; %}{% endfor %}', 1, 29],
    ['{% for i in (1..2) %}{% break now %}{% endfor %}', 1, 31],
    ['{% comment %}{% endcomment x %}', 1, 28],
  ])('%j', (body, line, column) => {
    expect(compileMessage('SMS', { body }, '/message')).toMatchObject({
      ok: false,
      errors: [{ pointer: '/message/body', code: 'template_syntax', line, column }],
    });
  });

  test.each([
    '{{ user.city | append: "a", "b" | upcase }}',
    '{% if user.city == "a" and user.firstName or true %}x{% elsif 1 > 2 %}{% else %}{% endif %}',
    '{% case user.city %}{% when "a", "b" or "c" %}{% else %}{% endcase %}',
    '{% for i in (1..3) reversed limit: 2 offset:1 %}{{ i }}{% break %}{% endfor %}',
    '{% cycle "a", "b" %}{% cycle "g": "a", "b" %}{% capture "a" %}{% endcapture %}',
    '{% comment %}{{ a b }}{% if c d %}{% endcomment %}{% raw %}{{ a b }}{% endraw %}{% # a b %}',
  ])('%s is', (body) => {
    expect(compileMessage('SMS', { body }, '/message')).toMatchObject({ ok: true });
  });
});

const user = withAttributes({
  nested: { k: 1, id: 1_610_521_604_143_693_813n },
  account: 1_610_521_604_143_693_813n,
  price: 19.99,
  text: '4.35',
  word: 'four',
  long: '9'.repeat(300),
  tail: '9'.repeat(20),
  prices: [0.1, 0.2, '0.3', null],
  carts: [{ total: 0.1 }, { total: 0.2 }, {}],
});
const of = (template: string) =>
  renderText(template.replaceAll('attr.', 'user.customAttributes.'), user);

test('what an earlier version accepted is rendered as it was', () => {
  const body = '{{ user.firstName, }}{% else %}';
  const accepted = [
    '{{ user.firstName, }}',
    '{{ user.firstName user.lastName }}',
    '{{ user.registeredAt | date: "%Y", "UTC" }}{{ 9007199254740993 }}',
  ];

  for (const text of accepted) {
    expect(compileMessage('SMS', { body: text }, '/message').ok).toBe(false);
    expect(compileAccepted('SMS', { body: text })).not.toBeNull();
  }
  expect(compileAccepted('SMS', { body })).toBeNull();
});

describe('numbers', () => {
  test.each([
    ['{{ 19.99 | times: 100 }}', '1999'],
    ['{{ 0.0725 | times: 100 }}', '7.25'],
    ['{{ 100 | times: 1.1 }}', '110'],
    ['{{ attr.text | times: 100 }}', '435'],
    ['{{ 0.1 | plus: 0.2 }}', '0.3'],
    ['{{ 0.3 | minus: 0.1 }}', '0.2'],
    ['{{ 1.005 | round: 2 }}', '1.01'],
    ['{{ -2.5 | round }}', '-3'],
    ['{{ -1.5 | floor }} {{ -1.5 | ceil }} {{ 1.2 | floor }} {{ 1.2 | ceil }}', '-2 -1 1 2'],
    ['{{ -1.10 | abs }} {{ 5 | at_most: 4.5 }} {{ 5 | at_least: 7 }}', '1.1 4.5 7'],
    ['{{ 10 | divided_by: 4 }} {{ 10 | divided_by: 4, true }}', '2.5 2'],
    ['{{ 10 | divided_by: 3 }}', '3.3333333333333335'],
    ['{{ 0.3 | modulo: 0.1 }}', '0'],
    ['{{ -7 | modulo: 3 }} {{ 7 | modulo: -3 }} {{ -6 | modulo: 3 }}', '2 -2 0'],
    ['{{ attr.prices | sum }} {{ attr.carts | sum: "total" }}', '0.6 0.3'],
    ['{{ 0.0000001 | times: 1 }} {{ 0.0000001 }}', '0.0000001 0.0000001'],
    ['{{ attr.account }} {{ attr.account | plus: 0 }}', '1610521604143693813 1610521604143693813'],
    ['{{ attr.account | plus: 1 | minus: 1 | times: 2 }}', '3221043208287387626'],
    ['{{ attr.nested | json }}', '{"k":1,"id":1610521604143693813}'],
    ['{% if attr.account == attr.nested.id %}same{% endif %}', 'same'],
    ['{% if attr.none | plus: 1 %}x{% else %}none{% endif %}', 'none'],
  ])('%s is %s', (template, text) => {
    expect(of(template)).toBe(text);
  });

  test.each([
    ['{{ attr.price | divided_by: 0 }}', 'failed: divided_by zero'],
    ['{{ 0 | divided_by: 0.0 }}', 'failed: divided_by zero'],
    ['{{ 5 | modulo: 0 }}', 'failed: modulo zero'],
    ['{{ attr.word | plus: 1 }}', 'failed: plus of what is no number'],
    ['{{ 1 | times: attr.word }}', 'failed: times of what is no number'],
    ['{{ attr.nested | plus: 1 }}', 'failed: plus of what is no number'],
    ['{{ attr.carts | sum }}', 'failed: sum of what is no number'],
    [
      `{{ attr.long${' | times: attr.long'.repeat(3)} }}`,
      'limit: a number of more than 400 digits',
    ],
    ['{{ attr.long | append: attr.tail | plus: 0.5 }}', 'limit: a number of more than 400 digits'],
  ])('%s is a fault', (template, fault) => {
    expect(of(template)).toBe(fault);
  });

  test('one that a double does not hold is refused in a template', () => {
    for (const body of [
      '{{ 1610521604143693813 }}',
      '{% if user.city == 9007199254740993 %}{% endif %}',
      '{{ 1 | plus: 9007199254740993 }}',
    ])
      expect(compileMessage('SMS', { body }, '/message')).toMatchObject({
        errors: [{ code: 'template_syntax', line: 1 }],
      });
  });
});

describe('size, first and last', () => {
  test.each([
    ['{{ attr.size }}', 'missing_variable: user.customAttributes.size is missing'],
    ["{{ attr.size | default: 'M' }}", 'M'],
    ['{{ attr.nested.size }}', 'missing_variable: user.customAttributes.nested.size is missing'],
    ['{% if attr.size %}has{% else %}none{% endif %}', 'none'],
    ['{{ attr.nested.first }}', 'missing_variable: user.customAttributes.nested.first is missing'],
    ['{{ attr.nested | size }}', 'failed: size of what is no list and no text'],
    ['{{ attr.nested | first }}', 'failed: first of what is no list and no text'],
    ['{{ attr.word.size }} {{ attr.word | size }} {{ attr.prices | size }}', '4 4 4'],
    ['{{ attr.prices.first }} {{ attr.prices | first }} {{ attr.word | last }}', '0.1 0.1 r'],
  ])('%s is %s', (template, text) => {
    expect(of(template)).toBe(text);
  });
});

describe('dates', () => {
  test.each([
    ['{{ "2026-01-15" | date: "%d.%m.", "America/New_York" }}', '15.01.'],
    ['{{ "2026-01-15T00:30:00Z" | date: "%d.%m.", "America/New_York" }}', '14.01.'],
    ['{{ "2026-01-15 00:30" | date: "%H:%M" }}', '00:30'],
    ['{{ "2026-01-15T10:00:00+0200" | date: "%H:%M" }}', '08:00'],
    ['{{ "2026-01-15 10:00:00+01" | date: "%H:%M" }}', '09:00'],
    ['{{ "2026-01-15 10:00:00.123456-03:30" | date: "%H:%M" }}', '13:30'],
    ['{{ "15 Jan 2026 10:00 EST" | date: "%H:%M" }}', '15:00'],
    [
      '{{ "Thu Jan 15 2026 10:00:00 GMT+0100 (Central European Standard Time)" | date: "%H:%M" }}',
      '09:00',
    ],
    ['{{ "5 March 2026" | date: "%Y-%m-%d", "Asia/Tokyo" }}', '2026-03-05'],
    ['{{ "Thu, 31 Dec 2026 23:00:00 -0500" | date: "%Y-%m-%d %H:%M" }}', '2027-01-01 04:00'],
    ['{{ "2026-02-30" | date: "%d.%m." }}', '2026-02-30'],
    ['{{ "30 February 2026" | date: "%d.%m." }}', '30 February 2026'],
    ['{{ "2025-02-29T10:00:00Z" | date: "%d.%m." }}', '2025-02-29T10:00:00Z'],
    ['{{ "2024-02-29" | date: "%d.%m." }}', '29.02.'],
    ['{{ "soon 5" | date: "%d.%m." }}', 'soon 5'],
    ['{{ 1767225600 | date: "%Y" }} {{ 1767225600000 | date: "%Y" }}', '2026 2026'],
    ['{{ "1767225600000" | date: "%Y" }}', '2026'],
    ['{{ attr.account | date: "%Y" }}', '1610521604143693813'],
  ])('%s is %s', (template, text) => {
    expect(of(template)).toBe(text);
  });

  test.each(['+01:00', '+0100', '-03:30'])('an offset is a zone: %s', (offset) => {
    const hours = { '+01:00': '11:00', '+0100': '11:00', '-03:30': '06:30' }[offset];

    expect(of(`{{ "2026-01-15T10:00:00Z" | date: "%H:%M", "${offset}" }}`)).toBe(hours);
  });

  test('a zone that does not exist is refused', () => {
    const body = '{{ user.birthday | date: "%d", "Europe/Atlantis" }}';

    expect(compileMessage('SMS', { body }, '/message')).toMatchObject({
      errors: [{ code: 'template_syntax', line: 1, column: 32 }],
    });
  });

  test('a birthday is the same day in every zone', () => {
    expect(of('{{ user.birthday | date: "%d.%m.", "America/New_York" }}')).toBe('02.01.');
    expect(of('{{ user.birthday }}')).toBe('1970-01-02');
  });
});
