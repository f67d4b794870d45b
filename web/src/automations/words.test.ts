import { expect, test } from '@jest/globals';
import { latenessText, stepTitle, triggerText } from './words.ts';

const NAMES = {
  events: new Map(),
  funnels: new Map(),
  segments: new Map(),
  templates: new Map(),
};
const titleOf = (title: string): string =>
  stepTitle({ id: 'mail', send: { channel: 'EMAIL', message: { title, body: '' } } }, NAMES)
    // What isolates it from the text around it.
    .replaceAll(/[\u2066-\u2069]/g, '');

test.each([
  ["{{ user.firstName | default: 'Hello' }}, your cart waits", '⟨first name⟩, your cart waits'],
  ['{{event.attributes.price}} EUR', '⟨price⟩ EUR'],
  ['50 % off', '50 % off'],
  ['{{ broken', '{{ broken'],
])('a step shows values of its subject %j by their names', (title, shown) => {
  expect(titleOf(title)).toBe(`E-mail: ${shown}`);
});

test.each([
  [{ date: { field: 'registeredAt' }, at: '00:00' }, 'The person registers'],
  [{ date: { field: 'registeredAt' }, at: '09:00' }, 'The registration at 09:00'],
  [{ date: { field: 'birthday' }, at: '09:00', yearly: true }, 'The birthday at 09:00, each year'],
] as const)('a trigger by a date is a sentence: %j', (trigger, text) => {
  expect(triggerText(trigger, NAMES)).toBe(text);
});

test.each([
  [{}, 'Late events count for 1 hour'],
  [{ maxAge: '2d' }, 'Late events count for 2 days'],
  [{ maxAge: null }, 'Late events always count'],
] as const)('how late an event of a trigger may be is a sentence: %j', (late, text) => {
  expect(latenessText({ event: 'cartd', ...late })).toBe(text);
});
