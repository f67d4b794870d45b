import { expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import assert from 'node:assert/strict';
import { ADA, compiled, CONTEXT, tryRender } from './testing/render.ts';

const SPECIAL = fc.constantFrom(
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '<!--',
  '-->',
  ']]>',
  '</p></body></html>',
  '</title>',
  '</textarea>',
  'javascript:alert(1)',
  ' JaVa\tScRiPt:alert(1)',
  'java\nscript:alert(1)',
  '&#106;avascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example',
  'https://evil.example/',
  'https:',
  'mailto:a@b.c?bcc=d@e.f',
  '\r\nBcc: evil@example.org',
  '\nBcc: evil@example.org',
  '\u2028Bcc: x',
  '\u0085Bcc: x',
  'a@b.example, c@d.example',
  '{{ user.customAttributes.secret }}',
  '{% for i in (1..10) %}',
  '{{unsubscribeUrl}}',
  '\uFDD0v0\uFDD1',
  '\uFDD0V1\uFDD1',
  '\uD800',
  '`',
  '${x}',
  '$&',
  "$'",
  '%',
  '=',
  ' ',
);
const VALUE = fc
  .array(fc.oneof(SPECIAL, fc.string({ maxLength: 8, unit: 'binary' })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

const BODY = `<html><head><title>{{ user.city }}</title></head><body class="{{ user.city }}">
<h1>Hello {{ user.city }}</h1> <p title='{{ user.city }}' data-x="a{{ user.city }}b">{{ user.city | upcase }}</p>
{% capture c %}<b>{{ user.city }}{% endcapture %}{{ c }}{% for i in (1..2) %}{% cycle user.city, "x" %}{% endfor %}
<textarea>{{ user.city }}</textarea><a href="https://shop.example/{{ user.city }}?q={{ user.city }}&r={{ user.city | url_encode }}#{{ user.city }}">
x</a><img src="https://{{ user.city }}/x.png" alt="{{ user.city }}"><a href="mailto:{{ user.city }}">m</a></body></html>`;

/** The tags, attribute names and closing tags of HTML, and its links. */
function shapeOf(html: string): { readonly tags: readonly string[]; readonly links: string[] } {
  const tags: string[] = [];
  const links: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        tags.push(`${name} ${Object.keys(attributes).join(' ')}`);
        for (const key of ['href', 'src'])
          if (attributes[key] !== undefined) links.push(attributes[key]);
      },
      onclosetag(name) {
        tags.push(`/${name}`);
      },
      oncomment() {
        tags.push('comment');
      },
      onprocessinginstruction() {
        tags.push('instruction');
      },
    },
    { lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(html);
  return { tags, links };
}

/** A value of the user, and one of an event, which anyone may have sent. */
const VARIABLES = ['user.city', 'event.attributes.city'] as const;
const of = <T extends object>(variable: string, message: T): T =>
  JSON.parse(JSON.stringify(message).replaceAll('user.city', variable)) as T;

const withCity = (city: string) => ({
  ...ADA,
  fields: { ...ADA.fields, city },
  context: { ...CONTEXT, event: { ...CONTEXT.event, attributes: { city } } },
});
const each = (channels: readonly Channel[]) =>
  channels.flatMap((channel) => VARIABLES.map((variable) => [variable, channel] as const));
const bodyOf = (rendered: ReturnType<typeof tryRender>): string => {
  assert(typeof rendered !== 'string');
  assert(typeof rendered.body === 'string');
  return rendered.body;
};

test.each(each(['EMAIL', 'IN_APP', 'ON_SITE']))(
  '%s adds no tag, attribute or link scheme to %s',
  (variable, channel) => {
    const message = compiled(channel, of(variable, { title: '{{ user.city }}', body: BODY }));
    const plain = shapeOf(bodyOf(tryRender(message, withCity('Ulm'))));

    fc.assert(
      fc.property(VALUE, (value) => {
        const { tags, links } = shapeOf(bodyOf(tryRender(message, withCity(value))));

        assert.deepEqual(tags, plain.tags);
        assert.equal(links.length, plain.links.length);
        for (const [index, link] of links.entries())
          assert.equal(/^[a-z]+:/.exec(link)?.[0], /^[a-z]+:/.exec(plain.links[index] ?? '')?.[0]);
      }),
      propertyRuns(2_000),
    );
    expect(plain.tags.length).toBeGreaterThan(10);
  },
);

test.each(VARIABLES)(
  '%s as a whole link in HTML opens only allowed schemes, or is a fault',
  (variable) => {
    const message = compiled(
      'EMAIL',
      of(variable, {
        body: '<p><a href="{{ user.city }}">x</a><a href=\'{{ user.city }}{{ user.city }}\'>y</a>',
      }),
    );
    let opened = 0;
    fc.assert(
      fc.property(VALUE, (value) => {
        const rendered = tryRender(message, withCity(value));
        if (typeof rendered === 'string') {
          assert.match(rendered, new RegExp(`^forbidden_link: ${variable} `));
          return;
        }
        opened += 1;
        const { tags, links } = shapeOf(bodyOf(rendered));
        assert.deepEqual(tags, ['p ', 'a href', '/a', 'a href', '/a', '/p']);
        for (const link of links) assert.match(link, /^(https?:\/\/[^/?#\s]|mailto:|tel:|sms:)/i);
      }),
      propertyRuns(2_000),
    );
    expect(opened).toBeGreaterThan(10);
  },
);

test.each(each(['WEB_PUSH', 'APP_PUSH']))(
  'with %s links of %s keep their scheme',
  (variable, channel) => {
    const whole = compiled(channel, of(variable, { body: 'x', url: '{{ user.city }}' }));
    const part = compiled(
      channel,
      of(variable, { body: 'x', url: 'https://x.example/{{ user.city }}' }),
    );
    const { pattern } = CHANNEL_DESCRIPTORS[channel].message.properties['url'] as {
      pattern: string;
    };
    const allowed = new RegExp(pattern, 'u');
    fc.assert(
      fc.property(VALUE, (value) => {
        const rendered = tryRender(whole, withCity(value));
        if (typeof rendered === 'string') assert.match(rendered, /^(forbidden_link|empty): /);
        else {
          assert.match(String(rendered['url']), allowed);
          assert.doesNotMatch(
            URL.parse(String(rendered['url']), 'https://base.example')?.protocol ?? '',
            /^(javascript|data|vbscript|file|intent):/,
          );
        }
        const within = tryRender(part, withCity(value));
        assert(typeof within !== 'string');
        assert.equal(new URL(String(within['url'])).origin, 'https://x.example');
      }),
      propertyRuns(2_000),
    );
  },
);

test.each(VARIABLES)('%s adds no line to a subject', (variable) => {
  const message = compiled('EMAIL', of(variable, { title: 'Hi {{ user.city }}!', body: 'x' }));
  fc.assert(
    fc.property(VALUE, (value) => {
      const rendered = tryRender(message, withCity(value));
      assert(typeof rendered !== 'string');
      assert.match(String(rendered.title), /^Hi [^\r\n\u0085\u2028\u2029\p{Cc}]*!$/u);
    }),
    propertyRuns(2_000),
  );
});

test.each(VARIABLES)('%s stays one string of an object', (variable) => {
  const message = compiled(
    'WEB_HOOK',
    of(variable, { body: { a: { b: '{{ user.city }}' }, c: [1, '{{ user.city }}'] } }),
  );
  fc.assert(
    fc.property(VALUE, (value) => {
      const rendered = tryRender(message, withCity(value));
      assert(typeof rendered !== 'string');
      const { a, c } = rendered.body as { a: { b: string }; c: [number, string] };
      assert.deepEqual(JSON.parse(JSON.stringify(rendered.body)), { a: { b: c[1] }, c: [1, a.b] });
      assert(a.b.isWellFormed() && !a.b.includes('\0'));
    }),
    propertyRuns(2_000),
  );
});
