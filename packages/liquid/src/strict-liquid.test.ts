import { describe, expect, test } from '@jest/globals';
import { compileAccepted, compileMessage } from './compile-message.ts';
import { renderText } from './testing/render.ts';
import {
  FAULT_CASES,
  REFUSED_CASES,
  RENDERED_CASES,
  STRICT_USER,
  templateOf,
} from './testing/strict-cases.ts';

const of = (template: string) => renderText(templateOf(template), STRICT_USER);

describe('a template', () => {
  test.each(RENDERED_CASES)('%s is %s', (template, text) => {
    expect(of(template)).toBe(text);
  });

  test.each(FAULT_CASES)('%s is a fault: %s, %s', (template, code, detail) => {
    expect(of(template)).toBe(`${code}: ${detail}`);
  });

  test.each(REFUSED_CASES)('%j is refused in line %i, column %i', (template, line, column) => {
    const body = templateOf(template);

    expect(
      compileMessage({ channel: 'SMS', message: { body }, pointer: '/message' }),
    ).toMatchObject({
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
    // As the dashboard inserts values.
    "{{ user.firstName | default: '' }}{{ user.customAttributes.address['zip code'] | default: '' }}",
    '{% comment %}{{ a b }}{% if c d %}{% endcomment %}{% raw %}{{ a b }}{% endraw %}{% # a b %}',
  ])('%s is read to its end', (body) => {
    expect(
      compileMessage({ channel: 'SMS', message: { body }, pointer: '/message' }),
    ).toMatchObject({ ok: true });
  });
});

test('what an earlier version accepted is rendered as it was', () => {
  const body = '{{ user.firstName, }}{% else %}';
  const accepted = [
    '{{ user.firstName, }}',
    '{{ user.firstName user.lastName }}',
    '{{ user.registeredAt | date: "%Y", "UTC" }}{{ 9007199254740993 }}',
  ];

  for (const text of accepted) {
    expect(
      compileMessage({ channel: 'SMS', message: { body: text }, pointer: '/message' }).ok,
    ).toBe(false);
    expect(compileAccepted('SMS', { body: text })).not.toBeNull();
  }
  expect(compileAccepted('SMS', { body })).toBeNull();
});
