import { expect, test } from '@jest/globals';
import { nameLiquid, splitNamed } from './name-liquid.ts';

test.each([
  ['Hello {{ user.firstName | default: "there" }}, last chance', 'Hello ⟨first name⟩, last chance'],
  ['{{- user.attributes.favourite_shop -}}!', '⟨favourite shop⟩!'],
  ['{{ "a" | upcase }} {{ 1 }}', '⟨…⟩ ⟨…⟩'],
  ['{% if user.city %}Hello{% endif %}', 'Hello'],
  ['No Liquid { here }', 'No Liquid { here }'],
  ['Unclosed {{ user.firstName', 'Unclosed {{ user.firstName'],
])('%s is shown as %s', (title, shown) => {
  expect(nameLiquid(title)).toBe(shown);
});

test('the parts of a title have chips for what differs by person', () => {
  expect(splitNamed('Hello ⟨first name⟩!')).toEqual([
    { text: 'Hello ', isChip: false },
    { text: 'first name', isChip: true },
    { text: '!', isChip: false },
  ]);
});
