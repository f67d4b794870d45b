import { expect, test } from '@jest/globals';
import { nameAlike } from './faults.ts';

test('what is said of several steps names each of them, and of one does not', () => {
  const said = [
    { at: 'mail1', text: 'Put it there.' },
    { at: 'until1', text: 'It never comes.' },
    { at: 'mail2', text: 'Put it there.' },
    { at: 'frame', text: 'Put it there.' },
  ];
  const names = new Map([
    ['mail1', 'E-mail: One'],
    ['until1', 'Wait'],
    ['mail2', 'E-mail: Two'],
  ]);

  expect(nameAlike(said, (at) => names.get(at) ?? at).map(({ text }) => text)).toEqual([
    'E-mail: One. Put it there.',
    'It never comes.',
    'E-mail: Two. Put it there.',
    'Put it there.',
  ]);
});
