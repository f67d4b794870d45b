import { expect, test } from '@jest/globals';
import { runJestOn } from './jest-in-folder.ts';
import { readPragma } from './pragma.mjs';

test('without times of earlier runs, files that say @slow come first', () => {
  const small = `test('runs', () => console.log(__filename.at(-9)));`;
  const large = `${small}\n${'// filler\n'.repeat(100)}`;
  const { printed } = runJestOn(
    { 'a.test.js': large, 'b.test.js': `/** @slow */\n${small}` },
    { modules: 'isolated', sequencer: 'slow-first' },
  );

  expect([...printed.matchAll(/console\.log\s+(\w)\n/g)].map(([, name]) => name)).toEqual([
    'b',
    'a',
  ]);
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
