import { describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { hash } from 'node:crypto';
import { filledUser, hashWords, RENDERER_VERSION, shownBy, valuesOf } from './filling.ts';
import { toPlainText } from './html/plain-text.ts';
import { ADA, compiled, CONTEXT, withAttributes } from './testing/render.ts';
import { userScope } from './user-scope.ts';

const MOMENT = Date.UTC(2026, 4, 3, 12, 30, 15, 250);

const recordOf = (body: string, user = ADA): unknown =>
  JSON.parse(valuesOf(user, shownBy(compiled('SMS', { body }).variables)) ?? 'null');

describe('what is recorded of a user', () => {
  test.each([
    ['no variable', 'Hello', {}],
    ['a field', '{{ user.firstName }}', { firstName: 'Ada' }],
    [
      'a field that is empty, which a default replaces',
      '{{ user.lastName | default: "x" }}',
      { lastName: '' },
    ],
    ['one that is absent', '{{ user.country | default: "x" }}', {}],
    ['an attribute', '{{ user.customAttributes.plan }}', { customAttributes: { plan: 'pro' } }],
    [
      'an attribute whole, of which a part is shown',
      '{% for item in user.customAttributes.cart.items %}{{ item.name }}{% endfor %}',
      { customAttributes: { cart: ADA.customAttributes['cart'] } },
    ],
    [
      'all attributes, where the name is computed',
      '{{ user.customAttributes[user.city] | default: "x" }}',
      { city: 'Ulm', customAttributes: ADA.customAttributes },
    ],
    [
      'who it is, and since when',
      '{{ user.customUserId }} {{ user.registeredAt }}',
      { customUserId: 'ada', registeredAt: 1_700_000_000_000 },
    ],
    [
      'a field, where the template has a name of its own that is `user`',
      '{{ user.firstName }}{% assign user = "x" %}{{ user }}',
      { firstName: 'Ada' },
    ],
    [
      'an attribute, where a loop has such a name',
      '{{ user.customAttributes.plan }}{% for user in (1..2) %}{{ user }}{% endfor %}',
      { customAttributes: { plan: 'pro' } },
    ],
    ['nothing of the campaign', '{{ campaign.id }}', {}],
  ])('%s', (_what, body, values) => {
    expect(recordOf(body)).toEqual(values);
  });

  test.each([
    ['of an event its name', '{{ event.name }}', { event: { name: 'cart' } }],
    ['when it was', '{{ event.time }}', { event: { time: CONTEXT.event.time } }],
    [
      'its attributes',
      '{{ event.attributes.price }}{% for i in event.attributes.items %}{{ i.name }}{% endfor %}',
      { event: { attributes: { price: 19.99, items: [{ name: 'pen' }, { name: 'ink' }] } } },
    ],
    [
      'one that it has not, which a default replaces',
      '{{ event.attributes.color | default: "x" }}',
      { event: { attributes: {} } },
    ],
    [
      'of the run and the user',
      '{{ run.enteredAt }} {{ user.firstName }}',
      { firstName: 'Ada', run: { enteredAt: CONTEXT.run.enteredAt } },
    ],
    ['none that is not shown', '{{ user.firstName }}', { firstName: 'Ada' }],
  ])('%s', (_what, body, values) => {
    expect(recordOf(body, { ...ADA, context: CONTEXT })).toEqual(values);
  });

  test('nothing of an event that there was not', () => {
    const user = { ...ADA, context: { ...CONTEXT, event: null } };

    expect(recordOf('{{ event.name | default: "x" }}', user)).toEqual({});
    expect(recordOf('{{ event.name | default: "x" }}')).toEqual({});
  });
});

test('what takes more than 8 KiB is not recorded', () => {
  const recordOfText = (chars: number): unknown =>
    recordOf('{{ user.customAttributes.text }}', withAttributes({ text: 'x'.repeat(chars) }));

  expect(recordOfText(8_000)).not.toBeNull();
  expect(recordOfText(8_200)).toBeNull();
});

/** Messages that show all that values may be. */
const MESSAGES: readonly (readonly [Channel, object])[] = [
  ['SMS', { body: '{{ user.firstName }} {{ user.birthday | date: "%d %B %Y" }}' }],
  ['SMS', { body: '{{ "now" | date: "%Y-%m-%dT%H:%M:%S.%L %A %Z", "Europe/Berlin" }}' }],
  [
    'SMS',
    { body: '{{ user.registeredAt | date: "%c" }} {{ user.customUserId }} {{ campaign.id }}' },
  ],
  [
    'SMS',
    {
      body: '{{ user.customAttributes.big | plus: 1 }} {{ user.customAttributes.price | times: 100 }}',
    },
  ],
  [
    'WEB_HOOK',
    { body: { all: '{{ user.customAttributes.cart | json }}', nested: ['{{ user.city }}'] } },
  ],
  [
    'APP_PUSH',
    {
      title: '{{ user.firstName }}',
      body: '{{ user.lastName | default: "–" }}',
      customContent: { a: '{{ user.customAttributes.plan }}' },
    },
  ],
  [
    'EMAIL',
    {
      title: 'For {{ user.firstName }} on {{ "now" | date: "%e %b" }}',
      body: '<html><head><title>x</title></head><body><h1>{{ user.firstName }}</h1><table><tr><td>Price</td><td>{{ user.customAttributes.price }}</td></tr></table><p>{{ user.customAttributes.html }}</p><a href="{{ user.customAttributes.site }}">{{ user.city | upcase }}</a><ul>{% for item in user.customAttributes.cart.items %}<li>{{ forloop.index }} {{ item.name }}</li>{% endfor %}</ul><a href="{{ unsubscribeUrl }}">unsubscribe</a></body></html>',
    },
  ],
  [
    'EMAIL',
    { title: 'Text', body: 'Dear {{ user.firstName }},\n{{ user.customAttributes.html }}' },
  ],
];

const USER = withAttributes({
  big: 9_007_199_254_740_993n,
  price: 19.99,
  html: '<b>5 < 6 & 7</b>',
});

/** Of automations. */
const EVENT_MESSAGES: typeof MESSAGES = [
  ['SMS', { body: '{{ event.name }} {{ event.time | date: "%d %B" }} {{ run.id }}' }],
  ['SMS', { body: '{{ event.revenue | times: 100 }} {{ event.currency | default: "none" }}' }],
  [
    'SMS',
    { body: '{{ event.attributes.big | plus: 1 }}{{ event.attributes.nope | default: "" }}' },
  ],
  [
    'EMAIL',
    {
      title: '{{ user.firstName }}: {{ event.attributes.items[1].name }}',
      body: '<p>{{ event.attributes[user.customAttributes.plan] | default: run.enteredAt }}</p>',
    },
  ],
];

const AUTOMATED = { ...USER, context: CONTEXT };

describe('the words of a message', () => {
  test.each([
    ...MESSAGES.map((row) => [...row, USER] as const),
    ...EVENT_MESSAGES.map((row) => [...row, AUTOMATED] as const),
  ])('%s %j come back from what was filled in', (channel, message, user) => {
    const { renderToSend, variables } = compiled(channel, message);
    const values = valuesOf(user, shownBy(variables)) ?? '';
    const sent = renderToSend(userScope({ ...user, renderedAt: MOMENT }, 'c1'));
    const words = hashWords(sent);

    const again = filledUser('ada', { values, renderedAt: MOMENT, words });
    const back = renderToSend(userScope(again, 'c1'));

    expect(back).toEqual(sent);
    expect(hashWords(back)).toBe(words);
    const other = { ...again, renderedAt: MOMENT + 86_400_000 * 40 };
    const isDated = JSON.stringify(message).includes('now');
    expect(hashWords(renderToSend(userScope(other, 'c1'))) === words).toBe(!isDated);
  });

  /** Of each version: the words, and the plain texts of mails, of all messages above. */
  const WORDS_OF_VERSION: Readonly<Record<number, string>> = {
    1: 'e8005e57eeeaa26246d09b741ffd6c8bd255c33a9f0d7ff1e1a163bb0d062d8c',
  };

  // If this fails, an upgrade makes other words of what earlier versions recorded: the next version of
  // the renderer begins, with its own line, and the lines before stay.
  test('are those of the version of the renderer', () => {
    const all = MESSAGES.map(([channel, message]) => {
      const sent = compiled(channel, message).renderToSend(
        userScope({ ...USER, renderedAt: MOMENT }, 'c1'),
      );
      const { mailBody } = sent;
      return [hashWords(sent), mailBody === undefined ? '' : toPlainText(mailBody.message.body)];
    });

    expect(hash('sha256', JSON.stringify(all))).toBe(WORDS_OF_VERSION[RENDERER_VERSION]);
  });
});
