import { expect, test } from '@jest/globals';
import { compileMailBody, joinMailBody } from './compile-mail-body.ts';
import { TextFault } from './engine/text-fault.ts';
import { ADA } from './testing/render.ts';
import { userScope } from './user-scope.ts';

const scopeOf = (fields: Readonly<Record<string, unknown>>) =>
  userScope({ ...ADA, fields: { ...ADA.fields, ...fields } }, 'c1');

test('bodies of the same structure share their message', () => {
  const body = compileMailBody(
    '<p>{{ user.city }}{% if user.region %}, {{ user.region }}{% endif %}',
  );

  const first = body?.render(scopeOf({ city: 'Ulm' }));
  const second = body?.render(scopeOf({ city: '<Bonn>' }));
  const other = body?.render(scopeOf({ city: 'Ulm', region: 'BW' }));

  expect(second?.message).toBe(first?.message);
  expect(other?.message).not.toBe(first?.message);
  expect(second).toMatchObject({ html: ['&lt;Bonn&gt;'], text: ['<Bonn>'] });
  expect(second && joinMailBody(second)).toBe('<p>&lt;Bonn&gt;');
});

test('a text body has values as they are', () => {
  const body = compileMailBody('Hello {{ user.city }}')?.render(scopeOf({ city: '<b>' }));

  expect(body).toMatchObject({ html: ['<b>'], text: ['<b>'] });
});

test('names in angle brackets are text', () => {
  const body = compileMailBody('Dear <name>, {{ user.city }} in List<Foo>');

  expect(body?.render(scopeOf({ city: '<b>' }))).toMatchObject({ html: ['<b>'] });
});

test('the format of a message decides, not its body', () => {
  const asText = compileMailBody('<p>{{ user.city }}', { format: 'text' });
  const asHtml = compileMailBody('{{ user.city }}', { format: 'html' });

  expect(asText?.render(scopeOf({ city: '<b>' }))).toMatchObject({
    html: ['<b>'],
    message: { format: 'text' },
  });
  expect(asHtml?.render(scopeOf({ city: '<b>' }))).toMatchObject({ html: ['&lt;b&gt;'] });
  expect(() => compileMailBody('<{{ user.city }}', { format: 'html' })).toThrow(TextFault);
});

test('a body without outputs is none', () => {
  expect(compileMailBody('<p>{ user.city }')).toBeNull();
});

test('a loop writes a value for each turn', () => {
  const body = compileMailBody(
    '<p>{% for i in user.customAttributes.cart.items %}{{ i.name }}{% endfor %}',
  );

  expect(body?.render(scopeOf({})).html).toEqual(['pen', 'ink']);
});
