import { expect, test } from '@jest/globals';
import { pointerName } from './pointer-name.ts';

test.each([
  ['/message/title', 'Title'],
  ['/message/buttons/0/link', 'Buttons, link'],
  ['/recipients/12', 'Recipients'],
  ['/settings/timeZone', 'Time zone'],
  ['/customUserId', 'User ID'],
  ['/message', 'Message'],
  ['', 'All of it'],
])('%j is %s', (pointer, name) => {
  expect(pointerName(pointer)).toBe(name);
});
