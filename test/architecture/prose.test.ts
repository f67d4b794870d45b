import { expect, test } from '@jest/globals';
import {
  avoidedInAll,
  readComments,
  countAvoided,
  splitParagraphs,
  measureProse,
  splitSentences,
} from './prose.ts';

/** Lower it when fewer are left. `npm run prose` prints where they are. */
const AVOIDED_MAX = 10;

test('avoided words are counted in any letter case, as whole words', () => {
  expect(countAvoided('Nobody is told, whatever happens; whateverNext is a name.')).toBe(3);
});

test.each([
  [
    'a.ts',
    "const a = '// text'; // comment\n/* block */ const b = `// text`;",
    '// comment/* block */',
  ],
  ['a.sql', "select '#' -- comment\n", '-- comment'],
  ['a.yaml', 'key: value # comment\n', '# comment'],
])('comments of %s are told from its texts', (path, text, comments) => {
  expect(readComments(path, text).replaceAll('\n', '')).toBe(comments);
});

test('a list item is a paragraph; code, tables and headings are none', () => {
  const document = '# Title\n\nOne. Two.\nThree.\n\n```sh\ncode\n```\n\n- a\n- b\n\n| x |\n';

  expect(splitParagraphs(document)).toEqual(['One. Two. Three.', 'a', 'b']);
});

test('a sentence ends at a full stop, and not inside a file name or a link', () => {
  expect(splitSentences('Read [this](a. b.md) file.ts. Then write.')).toEqual([
    'Read [this] file.ts.',
    'Then write.',
  ]);
});

test('medians and means are of all paragraphs and sentences', () => {
  expect(
    measureProse('a.md', 'One two three four. Five six.\n\nShort one.\n\n- Item one is here'),
  ).toEqual({
    path: 'a.md',
    paragraphs: 3,
    medianParagraph: 16,
    wordsPerSentence: 3,
  });
});

test('comments and documents have few words that hide the subject', () => {
  const { comments, documents } = avoidedInAll();

  expect(comments + documents).toBeLessThanOrEqual(AVOIDED_MAX);
});
