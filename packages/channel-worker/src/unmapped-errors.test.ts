import { expect, test } from '@jest/globals';
import { createCodeLabels } from './unmapped-errors.ts';

test('a code is its own label, as often as it comes', () => {
  const labelOf = createCodeLabels();

  for (const code of ['21999', '418', 'EWEIRD', '250 2.1.5', '21999'])
    expect(labelOf(code)).toBe(code);
});

test.each([undefined, '', 'a text with blanks', 'line\nbreak', 'x'.repeat(25), '418"} 5'])(
  '%j is no label',
  (code) => {
    expect(createCodeLabels()(code)).toBe('other');
  },
);

test('whatever a provider makes up, there are no more than fifty labels and one', () => {
  const labelOf = createCodeLabels();

  const labels = new Set(Array.from({ length: 1_000 }, (_, index) => labelOf(String(index))));

  expect(labels.size).toBe(51);
  expect(labelOf('7')).toBe('7');
  expect(labelOf('777')).toBe('other');
});
