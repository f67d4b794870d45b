import { describe, expect, test } from '@jest/globals';
import type { AutomationNode } from '@tidings/contracts/automations/definition';
import { findPlace, moveNode, placesOf, ways, type Nodes } from './tree.ts';

const wait = (id: string): AutomationNode => ({ id, delay: '1h' });
const asks = (id: string, first: Nodes, second: Nodes): AutomationNode => ({
  id,
  if: { attribute: 'plan', is: 'pro' },
  ...ways(first, second),
});
/** `moved` goes through the others. */
const STEPS: Nodes = [
  wait('moved'),
  asks('outer', [wait('a'), asks('inner', [], [wait('b')])], []),
  wait('c'),
];
const where = (nodes: Nodes): string => {
  const place = findPlace(nodes, 'moved');
  return `${place?.list ?? '?'} ${String(place?.index)}`;
};
const go = (nodes: Nodes, by: 1 | -1): readonly Nodes[] => {
  const next = moveNode(nodes, 'moved', by);
  return next === nodes ? [] : [next, ...go(next, by)];
};

describe('a step that is moved', () => {
  test('comes into every branch and every place, in reading order', () => {
    expect(go(STEPS, 1).map(where)).toEqual([
      'outer/then 0',
      'outer/then 1',
      'inner/then 0',
      'inner/else 0',
      'inner/else 1',
      'outer/then 2',
      'outer/else 0',
      ' 1',
      ' 2',
    ]);
  });

  test('goes the same way back, and no other step moves', () => {
    const down = [STEPS, ...go(STEPS, 1)];
    const up = go(down.at(-1) ?? [], -1);

    expect(up).toEqual(down.slice(0, -1).toReversed());
    const others = (nodes: Nodes) =>
      placesOf(nodes).flatMap(({ node: { id } }) => (id === 'moved' ? [] : [id]));
    for (const nodes of down) expect(others(nodes)).toEqual(others(STEPS));
  });
});
