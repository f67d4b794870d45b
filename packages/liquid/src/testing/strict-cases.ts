import { withAttributes } from './render.ts';

/** A template, and the text that it becomes. */
export type RenderedCase = readonly [template: string, text: string];
/** A template that is accepted, and why a user's message cannot be rendered. */
export type FaultCase = readonly [template: string, code: string, detail: string];
/** A template that is refused, and where. */
export type RefusedCase = readonly [template: string, line: number, column: number];

/** The attributes of the user, which cases call `attr`. */
export const STRICT_ATTRIBUTES = {
  nested: { k: 1, id: 1_610_521_604_143_693_813n },
  account: 1_610_521_604_143_693_813n,
  price: 19.99,
  text: '4.35',
  word: 'four',
  long: '9'.repeat(300),
  tail: '9'.repeat(20),
  lists: { prices: [0.1, 0.2, '0.3', null], carts: [{ total: 0.1 }, { total: 0.2 }, {}] },
};
export const STRICT_USER = withAttributes(STRICT_ATTRIBUTES);

export const templateOf = (template: string): string =>
  template.replaceAll('attr.', 'user.customAttributes.');

const NUMBERS: readonly RenderedCase[] = [
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
  ['{{ attr.lists.prices | sum }} {{ attr.lists.carts | sum: "total" }}', '0.6 0.3'],
  ['{{ 0.0000001 | times: 1 }} {{ 0.0000001 }}', '0.0000001 0.0000001'],
  ['{{ attr.account }} {{ attr.account | plus: 0 }}', '1610521604143693813 1610521604143693813'],
  ['{{ attr.account | plus: 1 | minus: 1 | times: 2 }}', '3221043208287387626'],
  ['{{ attr.nested | json }}', '{"k":1,"id":1610521604143693813}'],
  ['{% if attr.account == attr.nested.id %}same{% endif %}', 'same'],
  ['{% if attr.none | plus: 1 %}x{% else %}none{% endif %}', 'none'],
];

const SIZES: readonly RenderedCase[] = [
  ["{{ attr.size | default: 'M' }}", 'M'],
  ['{% if attr.size %}has{% else %}none{% endif %}', 'none'],
  ['{{ attr.word.size }} {{ attr.word | size }} {{ attr.lists.prices | size }}', '4 4 4'],
  [
    '{{ attr.lists.prices.first }} {{ attr.lists.prices | first }} {{ attr.word | last }}',
    '0.1 0.1 r',
  ],
  ['{{ attr.lists.carts.first.total }} {{ attr.lists.carts.last | json }}', '0.1 {}'],
  ['{{ user.firstName.size }} {{ user.customUserId.size }}', '3 3'],
];

const DATES: readonly RenderedCase[] = [
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
  ['{{ "2026-01-15T10:00:00Z" | date: "%H:%M", "+01:00" }}', '11:00'],
  ['{{ "2026-01-15T10:00:00Z" | date: "%H:%M", "+0100" }}', '11:00'],
  ['{{ "2026-01-15T10:00:00Z" | date: "%H:%M", "-03:30" }}', '06:30'],
  ['{{ user.birthday | date: "%d.%m.", "America/New_York" }}', '02.01.'],
  ['{{ user.birthday }}', '1970-01-02'],
];

export const RENDERED_CASES: readonly RenderedCase[] = [...NUMBERS, ...SIZES, ...DATES];

export const FAULT_CASES: readonly FaultCase[] = [
  ['{{ attr.price | divided_by: 0 }}', 'failed', 'divided_by zero'],
  ['{{ 0 | divided_by: 0.0 }}', 'failed', 'divided_by zero'],
  ['{{ 5 | modulo: 0 }}', 'failed', 'modulo zero'],
  ['{{ attr.word | plus: 1 }}', 'failed', 'plus of what is no number'],
  ['{{ 1 | times: attr.word }}', 'failed', 'times of what is no number'],
  ['{{ attr.nested | plus: 1 }}', 'failed', 'plus of what is no number'],
  ['{{ attr.lists.carts | sum }}', 'failed', 'sum of what is no number'],
  [
    `{{ attr.long${' | times: attr.long'.repeat(3)} }}`,
    'limit',
    'a number of more than 400 digits',
  ],
  ['{{ attr.long | append: attr.tail | plus: 0.5 }}', 'limit', 'a number of more than 400 digits'],
  ['{{ attr.size }}', 'missing_variable', 'user.customAttributes.size is missing'],
  ['{{ attr.nested.size }}', 'missing_variable', 'user.customAttributes.nested.size is missing'],
  ['{{ attr.nested.first }}', 'missing_variable', 'user.customAttributes.nested.first is missing'],
  ['{{ attr.nested | size }}', 'failed', 'size of what is no list and no text'],
  ['{{ attr.nested | first }}', 'failed', 'first of what is no list and no text'],
];

export const REFUSED_CASES: readonly RefusedCase[] = [
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
  ['{{ 1610521604143693813 }}', 1, 4],
  ['{% if user.city == 9007199254740993 %}{% endif %}', 1, 20],
  ['{{ 1 | plus: 9007199254740993 }}', 1, 14],
  ['{{ user.birthday | date: "%d", "Europe/Atlantis" }}', 1, 32],
];
