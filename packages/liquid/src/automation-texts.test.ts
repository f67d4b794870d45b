import { describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { compileAccepted, compileMessage } from './compile-message.ts';
import type { TextOf } from './engine/parse-options.ts';
import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';
import { ADA, compiled, CONTEXT, renderText, tryRender } from './testing/render.ts';

const inRun = { ...ADA, context: CONTEXT };
const ofEvent = (event: Partial<TriggerEvent>) => ({
  ...ADA,
  context: { ...CONTEXT, event: { ...CONTEXT.event, ...event } },
});

describe('a text of an automation', () => {
  test.each([
    ['{{ event.name }} of {{ user.firstName }}', 'cart of Ada'],
    ['{{ event.time }}', '2026-05-03T12:30:15.250Z'],
    ['{{ event.time | date: "%d.%m. %H:%M", "Europe/Berlin" }}', '03.05. 14:30'],
    ['{{ event.attributes.price }} {{ event.currency }}', '19.99 EUR'],
    ['{{ event.attributes.price | times: 100 }}', '1999'],
    ['{{ event.revenue | plus: 0.01 }}', '25'],
    ['{{ event.attributes.items[0].name }}', 'pen'],
    ['{{ event.attributes["in stock"] }}', 'true'],
    ['{{ event.attributes.big }}', '9007199254740993'],
    ['{% for item in event.attributes.items %}{{ item.name }};{% endfor %}', 'pen;ink;'],
    ['{% if event.attributes.price > 10 %}dear{% else %}cheap{% endif %}', 'dear'],
    ['{% if event.attributes.nothing %}yes{% else %}no{% endif %}', 'no'],
    ['{{ event.attributes.nothing | default: event.name }}', 'cart'],
    ['{{ user.firstName | append: event.name }}', 'Adacart'],
    ['{{ run.id }}', 'r1'],
    ['{{ run.enteredAt }}', '2026-05-03T12:30:16.000Z'],
  ])('%s is %s', (body, text) => {
    expect(renderText(body, inRun)).toBe(text);
  });

  test.each([
    ['{{ event.attributes.nothing }}', 'event.attributes.nothing is missing'],
    ['{{ event.attributes.empty }}', 'event.attributes.empty is missing'],
    ['{{ event.attributes.constructor }}', 'event.attributes.constructor is missing'],
    ['{{ event.attributes.items.size.x }}', 'event.attributes.items.size.x is missing'],
  ])('%s is a fault', (body, detail) => {
    expect(renderText(body, inRun)).toBe(`missing_variable: ${detail}`);
  });

  test('has no revenue where the event has none', () => {
    const user = ofEvent({ revenue: null, currency: null });

    expect(renderText('{{ event.revenue | default: 0 }}', user)).toBe('0');
    expect(renderText('{{ event.currency }}', user)).toBe(
      'missing_variable: event.currency is missing',
    );
  });

  test.each([undefined, { ...CONTEXT, event: null }])('without an event has a fault', (context) => {
    const user = { ...ADA, context };

    expect(renderText('{{ event.name }}', user)).toBe('missing_variable: event is missing');
    expect(renderText('{{ event.name | default: "x" }}', user)).toBe('x');
  });

  test('escapes the values of an event by their place', () => {
    const mail = compiled('EMAIL', {
      title: '{{ event.name }}',
      body: '<p>{{ event.attributes.x }}</p><a href="https://a.example/{{ event.attributes.x }}">a</a>',
    });
    const rendered = tryRender(mail, ofEvent({ name: 'a\r\nBcc: b', attributes: { x: '<b>"&' } }));

    expect(rendered).toMatchObject({
      title: 'a Bcc: b',
      body: '<p>&lt;b&gt;&quot;&amp;</p><a href="https://a.example/%3Cb%3E%22%26">a</a>',
    });
  });
});

describe('what a text may name', () => {
  const compile = (message: object, textOf: TextOf, channel: Channel = 'APP_PUSH') =>
    compileMessage({ channel, message: message as PushMessage, pointer: '/message', textOf });
  const NOT_IN_PUSH = 'one of user, campaign: an automation alone has an event and a run';

  test.each([
    ['in an output', '\n {{ event.name }}', 2, 5],
    ['with a default', '{{ event.name | default: "x" }}', 1, 4],
    ['as an argument', '{{ user.city | append: event.name }}', 1, 24],
    ['as a default', '{{ user.city | default: run.id }}', 1, 25],
    ['in a condition', '{% if user.city == event.name %}x{% endif %}', 1, 20],
    ['in a case', '{% case user.city %}{% when event.name %}x{% endcase %}', 1, 29],
    ['in a loop', '{% for i in event.attributes.items %}x{% endfor %}', 1, 13],
    ['in a range', '{% for i in (1..event.revenue) %}x{% endfor %}', 1, 17],
    ['in a key', '{{ user.customAttributes[event.name] }}', 1, 26],
    ['in brackets', '{{ ["event"].name }}', 1, 4],
    ['in an assignment', '{% assign x = event.name %}{{ x }}', 1, 15],
    ['in a capture', '{% capture x %}{{ event.name }}{% endcapture %}', 1, 19],
    ['beside a loop of this name', '{% for event in event.attributes.all %}x{% endfor %}', 1, 17],
    [
      'behind a loop of this name',
      '{% for event in user.customAttributes.all %}{{ event.name }}{% else %}{{ event.name }}{% endfor %}',
      1,
      74,
    ],
  ])('of a push no event: %s', (_place, body, line, column) => {
    expect(compile({ body }, 'push')).toEqual({
      ok: false,
      errors: [
        { pointer: '/message/body', code: 'unknown_variable', expected: NOT_IN_PUSH, line, column },
      ],
    });
    expect(compile({ body }, 'event').ok).toBe(true);
  });

  test('of a run without an event no event, in any text', () => {
    const customContent = { a: [{ b: '{{ event.name }}' }] };
    const buttons = [{ label: '{{ event.name }}', link: 'https://a.example/{{ run.id }}' }];

    expect(compile({ body: '{{ run.id }}', customContent, buttons }, 'run')).toMatchObject({
      errors: [
        {
          pointer: '/message/buttons/0/label',
          expected: 'one of user, campaign, run: the trigger has no event',
        },
        { pointer: '/message/customContent/a/0/b', line: 1, column: 4 },
      ],
    });
  });

  test.each([
    ['{{ event }}', 'event and one of its fields'],
    ['{{ event.price }}', 'event and one of its fields'],
    ['{{ event.attributes }}', 'event.attributes and a key'],
    ['{{ run.event }}', 'run and one of its fields'],
    ['{{ events.name }}', 'one of user, campaign, event, run'],
  ])('no other field: %s', (body, expected) => {
    expect(compile({ body }, 'event')).toMatchObject({ errors: [{ expected }] });
  });

  test.each([
    '{% for event in user.customAttributes.events %}{{ event.name }}{% endfor %}',
    '{% assign event = user.customAttributes.event %}{{ event.name }}',
    '{% capture run %}x{% endcapture %}{{ run }}',
    'The run and the event',
    '{% raw %}{{ event.name }}{% endraw %}{% comment %}{{ event.name }}{% endcomment %}',
  ])('a name of its own: %s', (body) => {
    expect(compile({ body }, 'push').ok).toBe(true);
  });

  test('a text with a value of that name sees no event, and records none', () => {
    const body = '{{ event.name | default: "none" }}{% assign event = "own" %}{{ event }}';
    const { variables } = compiled('SMS', { body });

    expect(variables).toEqual([]);
    expect(renderText(body, inRun)).toBe('noneown');
    expect(
      tryRender(compiled('APP_PUSH', { title: '{{ event.name }}', body }), inRun),
    ).toMatchObject({ title: 'cart', body: 'noneown' });
  });

  test('what is accepted is rendered with all that it names', () => {
    expect(compileAccepted('SMS', { body: '{{ event.name }}' })).not.toBeNull();
  });
});
