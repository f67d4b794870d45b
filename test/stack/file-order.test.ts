import { expect, test } from '@jest/globals';
import { runJestOn } from './jest-in-folder.ts';
import { readPragma } from './pragma.mjs';

/** What the files printed, in their order. */
const namesIn = (printed: string) =>
  [...printed.matchAll(/console\.log\s+(\w)\n/g)].map(([, name]) => name);

test('without times of earlier runs, files that say @slow come first', () => {
  const small = `test('runs', () => console.log(__filename.at(-9)));`;
  const large = `${small}\n${'// filler\n'.repeat(100)}`;
  const { printed } = runJestOn(
    { 'a.test.js': large, 'b.test.js': `/** @slow */\n${small}` },
    { modules: 'isolated', sequencer: 'file-order' },
  );

  expect(namesIn(printed)).toEqual(['b', 'a']);
});

test('TEST_ORDER shuffles, and repeats the order of a text', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const files = Object.fromEntries(
    names.map((name) => [`${name}.test.js`, `test('runs', () => console.log('${name}'));`]),
  );
  const [first, again, other] = ['1', '1', '2'].map((order) =>
    namesIn(
      runJestOn(files, {
        modules: 'isolated',
        sequencer: 'file-order',
        env: { TEST_ORDER: order },
      }).printed,
    ),
  );

  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
  expect(first?.toSorted()).toEqual(names);
});

test.each([
  ['/** @slow */\nimport', 'slow', []],
  ['/**\n * @needs kafka redis\n * @slow\n */', 'slow', []],
  ['/**\n * @needs kafka redis\n * @slow\n */', 'needs', ['kafka', 'redis']],
  ['/** slow */', 'slow', null],
  ['import x;\n/** @slow */', 'slow', null],
])('%j says @%s: %j', (source, name, words) => {
  expect(readPragma(source, name)).toEqual(words);
});
