import { expect, test } from '@jest/globals';
import { ways } from './tree.ts';
import {
  againText,
  latenessText,
  mayEndEarlier,
  refusalText,
  stepTitle,
  triggerText,
} from './words.ts';

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

test.each([
  ['delay', false],
  ['until', false],
  ['mail', false],
  ['click', true],
  ['inner', true],
  ['gone', false],
])('a run that waits at the step %s may go on before that wait is over: %s', (id, isSo) => {
  const nodes = [
    { id: 'delay', delay: '1h' },
    { id: 'until', until: { time: '09:00' } },
    { id: 'mail', send: { channel: 'EMAIL', message: { body: 'x' } } },
    {
      id: 'click',
      waitFor: { message: { node: 'mail' }, was: 'clicked' },
      timeout: '1d',
      ...ways([], [{ id: 'inner', waitFor: { event: 'order' }, timeout: '1d', ...ways() }]),
    },
  ] as const;
  const definition = {
    version: 1,
    name: 'x',
    purpose: 'marketing',
    trigger: { event: 'cartd' },
    nodes,
  } as const;

  expect(mayEndEarlier(definition, id)).toBe(isSo);
});

test.each([
  [{}, 'The person had entered before.', 'Each person once'],
  [{ entry: { again: 'never' } }, 'The person had entered before.', 'Each person once'],
  [
    { entry: { again: 'never', key: 'order' } },
    'The person had entered before with the same value.',
    'Each person once',
  ],
  [
    { entry: { again: 'after', after: '3d' } },
    'The person was still in it, or had entered less than 3 days before.',
    'Again after 3 days',
  ],
  // Who may enter again every time is refused only while a run of theirs goes on.
  [{ entry: { again: 'always' } }, 'The person was still in it.', 'Once at a time'],
  [
    { entry: { again: 'always', key: 'order' } },
    'The person was still in it with the same value.',
    'Once at a time for each value',
  ],
] as const)('why a person does not enter again with %j', (definition, why, rule) => {
  expect(refusalText('re_entry', definition)).toBe(why);
  expect(againText(definition)).toBe(rule);
});

test('another refusal does not ask how often one may enter, and a new one has its name', () => {
  expect(refusalText('max_age', { entry: { again: 'always' } })).toBe('It became known too late.');
  expect(refusalText('of_later', {})).toBe('of_later');
});
