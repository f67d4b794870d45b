import { describe, expect, test } from '@jest/globals';
import { ADA, compiled, renderText, tryRender, withAttributes } from './testing/render.ts';

describe('values', () => {
  test.each([
    ['{{ user.firstName }}', 'Ada'],
    ['{{ user.customUserId }} in {{ user.city | upcase }}', 'ada in ULM'],
    ['{{ user.lastName | default: "there" }}', 'there'],
    ['{{ user.customAttributes.nick | default: user.firstName }}', 'Ada'],
    ['{{ user.customAttributes.nick | default: user.lastName | default: "you" }}', 'you'],
    ['{{ user.customAttributes["first name"] }}', 'A.'],
    ['{{ user.customAttributes.visits | plus: 1 }}', '4'],
    ['{{ user.birthday | date: "%d.%m.%Y" }}', '02.01.1970'],
    ['{{ user.registeredAt | date: "%H:%M", "Europe/Berlin" }}', '23:13'],
    ['{{ user.customAttributes.cart.items | map: "name" | join: ", " }}', 'pen, ink'],
    ['{{ user.customAttributes.cart.items.size }}', '2'],
    ['{{ user.customAttributes.cart.items[0].name }}', 'pen'],
    ['{{ "a" | append: "b" }}', 'ab'],
    ['{{ user.firstName | escape }}', 'Ada'],
    ['{{ campaign.id }}', 'c1'],
    ['{% raw %}{{ user.firstName }}{% endraw %}', '{{ user.firstName }}'],
    ['{% comment %}{{ user.firstName }}{% endcomment %}x', 'x'],
    ['{% # a note %}x', 'x'],
    ['a {{- user.firstName -}} b', 'aAdab'],
    ['{{ user.customAttributes.visits | json }}', '3'],
  ])('%s is %s', (template, expected) => {
    expect(renderText(template)).toBe(expected);
  });
});

test('a value cannot name the place of another one, nor hold NUL', () => {
  const user = withAttributes({ nick: 'a\uFDD0v1\uFDD1b\0c' });

  expect(renderText('{{ user.customAttributes.nick }} {{ user.firstName }}', user)).toBe(
    'a\uFFFDv1\uFFFDb\uFFFDc Ada',
  );
});

describe('blocks', () => {
  test.each([
    ['{% if user.customAttributes.plan == "pro" %}P{% else %}B{% endif %}', 'P'],
    ['{% if user.lastName %}yes{% else %}no{% endif %}', 'no'],
    [
      '{% if user.customAttributes.nothing %}yes{% elsif user.city == "Ulm" %}Ulm{% endif %}',
      'Ulm',
    ],
    ['{% unless user.lastName %}none{% endunless %}', 'none'],
    ['{% if user.city == "Ulm" and user.customAttributes.visits > 2 %}both{% endif %}', 'both'],
    ['{% if user.city contains "l" %}l{% endif %}', 'l'],
    ['{% case user.customAttributes.plan %}{% when "pro" %}P{% else %}B{% endcase %}', 'P'],
    ['{% for i in user.customAttributes.cart.items %}{{ i.name }};{% endfor %}', 'pen;ink;'],
    ['{% for i in (1..3) %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}', '13'],
    ['{% for i in (1..3) %}{{ i }}{% if i == 2 %}{% break %}{% endif %}{% endfor %}', '12'],
    ['{% for i in (1..3) %}{% cycle "a", "b" %}{% endfor %}', 'aba'],
    ['{% for i in (1..2) %}{{ forloop.index }}/{{ forloop.length }} {% endfor %}', '1/2 2/2 '],
    ['{% assign n = user.firstName | upcase %}{{ n }}', 'ADA'],
    [
      '{% assign s = "" %}{% if user.customAttributes.visits > 1 %}{% assign s = "s" %}{% endif %}{{ s }}',
      's',
    ],
    ['visit{% assign s = "" %}{{ s }}', 'visit'],
    ['{% capture c %}{{ user.firstName }}!{% endcapture %}{{ c | upcase }}', 'ADA!'],
  ])('%s is %s', (template, expected) => {
    expect(renderText(template)).toBe(expected);
  });
});

describe('a missing value is a fault that names the variable, never an empty text', () => {
  test.each([
    ['Hello {{ user.lastName }},', 'user.lastName is missing'],
    ['{{ user.customAttributes.nothing }}', 'user.customAttributes.nothing is missing'],
    ['{{ user.customAttributes.nothing.deeper }}', 'user.customAttributes.nothing is missing'],
    ['{{ user.customAttributes.cart.none }}', 'user.customAttributes.cart.none is missing'],
    ['{{ user.customAttributes.empty }}', 'user.customAttributes.empty is missing'],
    ['{{ user.lastName | upcase }}', 'user.lastName is missing'],
    ['{{ user.firstName | append: user.lastName }}', 'user.lastName is missing'],
    ['{{ user.customAttributes.x | default: user.lastName }}', 'user.customAttributes.x is empty'],
    [
      '{{ user.customAttributes.cart.empty | join: "," }}',
      'user.customAttributes.cart.empty is empty',
    ],
    ['{% assign n = user.lastName | append: "!" %}{{ n }}', 'user.lastName is missing'],
    [
      '{% for i in user.customAttributes.nothing %}x{% endfor %}',
      'user.customAttributes.nothing is missing',
    ],
    [
      '{% for i in user.customAttributes.cart.items %}{{ i.price }}{% endfor %}',
      'i.price is missing',
    ],
    ['{% if user.lastName == blank %}{{ user.lastName }}{% endif %}', 'user.lastName is missing'],
    ['{{ user.customAttributes[user.lastName] }}', 'user.lastName is missing'],
    // Not by the city, which is a word of the user.
    ['{{ user.customAttributes[user.city] }}', 'user.customAttributes[user.city] is missing'],
    ['{{ user.lastName | prepend: "Dear " }}', 'user.lastName is missing'],
  ])('%s', (template, detail) => {
    expect(renderText(template)).toBe(`missing_variable: ${detail}`);
  });

  test('unless an empty default is chosen', () => {
    expect(renderText('Hello{{ user.lastName | default: "" }}!')).toBe('Hello!');
  });
});

test.each([
  ['{{ user.customAttributes.cart }}', 'not_text: user.customAttributes.cart is an object'],
  ['{% assign x = "" %}{{ x }}', 'empty: body is empty'],
  ['{% if false %}x{% endif %} \u200b', 'empty: body has no visible character'],
  ['{{ user.firstName | date: "%d" | slice: 0, 0 | default: "" }}', 'empty: body is empty'],
  ['{% for i in (1..900) %}ab{% endfor %}', 'too_long: body has more than 1600 characters'],
])('%s is a fault', (template, fault) => {
  expect(renderText(template)).toBe(fault);
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'inherited properties do not exist: %s',
  (name) => {
    expect(renderText(`{{ user.customAttributes.${name} }}`)).toBe(
      `missing_variable: user.customAttributes.${name} is missing`,
    );
    expect(renderText(`{{ user.firstName.${name} }}`)).toMatch(/^missing_variable/);
  },
);

test('an attribute with such a name is a value', () => {
  expect(
    renderText('{{ user.customAttributes.constructor }}', withAttributes({ constructor: 'own' })),
  ).toBe('own');
});

describe('the fields of a channel', () => {
  const text = '{{ user.firstName }}';

  test('WEB_PUSH: a link whose host a value would continue has a fault', () => {
    const link = 'https://shop.example{{ user.city }}';

    expect(tryRender(compiled('WEB_PUSH', { title: 'x', body: 'x', url: link }))).toBe(
      'unsafe_place: user.city continues a host',
    );
  });

  test('WEB_PUSH: texts and links, no icon', () => {
    const link = 'https://shop.example/{{ user.city }}';
    const message = {
      title: text,
      body: text,
      url: link,
      icon: 'https://x.example/{{ user.city }}',
      images: [{ url: link }],
      buttons: [{ label: text, link }],
    };

    expect(tryRender(compiled('WEB_PUSH', message))).toEqual({
      title: 'Ada',
      body: 'Ada',
      url: 'https://shop.example/Ulm',
      icon: 'https://x.example/{{ user.city }}',
      images: [{ url: 'https://shop.example/Ulm' }],
      buttons: [{ label: 'Ada', link: 'https://shop.example/Ulm' }],
    });
  });

  test('APP_PUSH: every string of customContent, never a key', () => {
    const customContent = { [text]: [text, 1, { deep: text }], flag: true };

    expect(tryRender(compiled('APP_PUSH', { body: 'x', customContent }))).toEqual({
      body: 'x',
      customContent: { [text]: ['Ada', 1, { deep: 'Ada' }], flag: true },
    });
  });

  test('WEB_HOOK: the body, not its receiver and headers', () => {
    const url = 'https://hook.example/{{ user.city }}';
    const headers = { 'X-User': text };

    expect(
      tryRender(compiled('WEB_HOOK', { title: text, body: { a: { b: text } }, url, headers })),
    ).toEqual({ title: 'Ada', body: { a: { b: 'Ada' } }, url, headers });
    expect(tryRender(compiled('WEB_HOOK', { body: text }))).toEqual({ body: 'Ada' });
  });

  test('IN_APP and ON_SITE: the body is HTML, the title is text', () => {
    const user = { ...ADA, fields: { firstName: '<b>' } };
    const message = { title: text, body: `<p>${text}</p>`, duration: 5 };

    for (const channel of ['IN_APP', 'ON_SITE'] as const)
      expect(tryRender(compiled(channel, message), user)).toEqual({
        title: '<b>',
        body: '<p>&lt;b&gt;</p>',
        duration: 5,
      });
  });

  test('EMAIL: a text body keeps its values as they are, HTML escapes them', () => {
    const user = { ...ADA, fields: { firstName: 'a<b & c' } };

    expect(tryRender(compiled('EMAIL', { title: text, body: text }), user)).toEqual({
      title: 'a<b & c',
      body: 'a<b & c',
    });
    expect(tryRender(compiled('EMAIL', { body: `<p>${text}` }), user)).toEqual({
      body: '<p>a&lt;b &amp; c',
    });
  });

  test.each(['{{unsubscribeUrl}}', '{{ unsubscribeUrl }}'])('EMAIL keeps %s', (placeholder) => {
    expect(tryRender(compiled('EMAIL', { body: `<a href="${placeholder}">${text}</a>` }))).toEqual({
      body: '<a href="{{unsubscribeUrl}}">Ada</a>',
    });
  });
});

test.each([
  ['mailto:{{ user.email }}?subject={{ user.city }}', 'mailto:ada%2Bx@shop.example?subject=a%40b'],
  ['mailto:{{ user.email | url_encode }}', 'mailto:ada%2Bx%40shop.example'],
  [
    'mailto:help@shop.example?body={{ user.email }}',
    'mailto:help@shop.example?body=ada%2Bx%40shop.example',
  ],
  ['tel:{{ user.phoneNumber }}', 'tel:+4915123456789'],
  ['sms:{{ user.phoneNumber }}?body={{ user.city }}', 'sms:+4915123456789?body=a%40b'],
  ['{{ user.customAttributes.call }}', 'tel:+49151'],
  ['https://shop.example/?m={{ user.email }}', 'https://shop.example/?m=ada%2Bx%40shop.example'],
])('in HTML and in a link of an app %s is %s', (link, expected) => {
  const user = {
    ...ADA,
    fields: { email: 'ada+x@shop.example', phoneNumber: '+49 151 23456789', city: 'a@b' },
    customAttributes: { call: 'tel:+49151' },
  };

  for (const channel of ['EMAIL', 'IN_APP', 'ON_SITE'] as const)
    expect(tryRender(compiled(channel, { body: `<p><a href="${link}">x</a>` }), user)).toEqual({
      body: `<p><a href="${expected}">x</a>`,
    });
  expect(tryRender(compiled('APP_PUSH', { body: 'x', url: link }), user)).toEqual({
    body: 'x',
    url: expected,
  });
});

describe('values in comments that Outlook reads', () => {
  const render = (body: string, city: string): unknown => {
    const user = { ...ADA, fields: { city } };
    const rendered = tryRender(compiled('EMAIL', { body: `<p>x</p>${body}` }), user);
    return typeof rendered === 'string'
      ? rendered
      : (rendered.body as string).slice('<p>x</p>'.length);
  };

  test.each([
    [
      '<!--[if mso]><td>{{ user.city }}</td><![endif]-->',
      '<b> & --><i>',
      '<!--[if mso]><td>&lt;b&gt; &amp; --&gt;&lt;i&gt;</td><![endif]-->',
    ],
    [
      '<!--[if gte mso 9]><v:rect href="https://a.example/{{ user.city }}"><![endif]-->',
      'a/b"c',
      '<!--[if gte mso 9]><v:rect href="https://a.example/a%2Fb%22c"><![endif]-->',
    ],
    [
      '<!--[if (mso)|(IE)]><v:rect href="{{ user.city }}"><![endif]-->',
      'https://a.example/?a=1&b=2',
      '<!--[if (mso)|(IE)]><v:rect href="https://a.example/?a=1&amp;b=2"><![endif]-->',
    ],
    [
      '<!--[if mso]><v:rect href="{{ user.city }}"><![endif]-->',
      'javascript:alert(1)',
      'forbidden_link: user.city is no link that may be opened',
    ],
    ['<!--[if mso]>{{ user.city }}><![endif]-->', 'a--', '<!--[if mso]>a-&#45;><![endif]-->'],
    ['<!--[if mso]>--{{ user.city }}><![endif]-->', '!', '<!--[if mso]>--&#33;><![endif]-->'],
    [
      '<!--[if mso]>{{ user.city }}<![endif]-->',
      '<![endif]',
      '<!--[if mso]>&lt;![endif]<![endif]-->',
    ],
    [
      '<!--[if !mso]><!-->{{ user.city }}<!--<![endif]-->',
      '-',
      '<!--[if !mso]><!-->-<!--<![endif]-->',
    ],
  ])('%s with %j', (body, city, expected) => {
    expect(render(body, city)).toBe(expected);
  });
});

test('a message without outputs is the same object', () => {
  const message = { title: 'Hello', body: 'Hello' };

  expect(tryRender(compiled('EMAIL', message))).toBe(message);
});

test('rendering changes neither the message nor the data', () => {
  const message = { body: 'x', customContent: { a: { b: '{{ user.firstName }}' } } };
  const before = structuredClone(message);
  const { render } = compiled('APP_PUSH', message);

  tryRender({ render });

  expect(tryRender({ render })).toEqual({ body: 'x', customContent: { a: { b: 'Ada' } } });
  expect(message).toEqual(before);
});

describe('the variables of a message', () => {
  test.each([
    ['{{ user.firstName }}', [['user.firstName', true]]],
    ['{{ user.firstName | default: "x" }}', [['user.firstName', false]]],
    [
      '{{ user.firstName | default: user.city }}',
      [
        ['user.city', false],
        ['user.firstName', false],
      ],
    ],
    ['{% if user.city %}{{ user.city }}{% endif %}', [['user.city', true]]],
    [
      '{% if user.city == user.region %}x{% endif %}',
      [
        ['user.city', false],
        ['user.region', false],
      ],
    ],
    [
      '{% for i in user.customAttributes.cart.items %}{{ i.name }}{% endfor %}',
      [['user.customAttributes.cart.items', true]],
    ],
    [
      '{{ user.customAttributes[user.city] }}',
      [
        ['user.city', true],
        ['user.customAttributes', false],
      ],
    ],
    ['{% assign x = user.city %}{{ x }}', [['user.city', true]]],
    ['{% capture x %}{{ user.city }}{% endcapture %}', [['user.city', true]]],
  ] as const)('%s', (body, expected) => {
    const { variables } = compiled('SMS', { body });

    expect(variables.map(({ name, isRequired }) => [name, isRequired])).toEqual(expected);
  });

  test('are those of all its fields, required where one requires them', () => {
    const { variables } = compiled('EMAIL', {
      title: '{{ user.city | default: "x" }}',
      body: '{{ user.city }} {{unsubscribeUrl}}',
    });

    expect(variables).toEqual([
      { name: 'user.city', path: ['user', 'city'], isRequired: true, isNumber: false },
    ]);
  });
});
