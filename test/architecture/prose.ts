import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from './source-files.ts';

/** Words that hide the subject of a sentence. CONTRIBUTING.md, "Style", says what to write. */
const AVOIDED = /\b(?:nobody|somebody|anybody|everybody|whoever|whatever|is told|so many)\b/giu;
/** These files name the words to avoid. */
const EXEMPT = new Set(['test/architecture/prose.ts', 'test/architecture/prose.test.ts']);

const KINDS = ['comments', 'texts', 'documents'] as const;
export type Kind = (typeof KINDS)[number];

export type Prose = {
  readonly path: string;
  readonly paragraphs: number;
  /** In characters. */
  readonly medianParagraph: number;
  readonly wordsPerSentence: number;
};

/** The tracked files of the repository, without what tools write. */
function trackedFiles(...patterns: readonly string[]): readonly string[] {
  return execFileSync('git', ['ls-files', '--', ...patterns], { cwd: ROOT_DIR, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !EXEMPT.has(path) && !/pnpm-lock|\.png$/.test(path))
    .filter((path) => existsSync(join(ROOT_DIR, path)));
}

const read = (path: string): string => readFileSync(join(ROOT_DIR, path), 'utf8');

/** How many avoided words a text has. */
export const countAvoided = (text: string): number => text.match(AVOIDED)?.length ?? 0;

/** A line or block comment, a string, or a template. The first alternative that matches wins, so `//` in a string is no comment. */
const SCRIPT_TOKEN =
  /(?<comment>\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/[^\n]*)|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const HASH_COMMENT = /(?<=^|\s)#[^\n]*/g;
const SQL_COMMENT = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/** The comments of a file, by the syntax that its name says. */
export function readComments(path: string, text: string): string {
  if (/\.(?:[cm]?[jt]sx?|css|patch)$/.test(path))
    return [...text.matchAll(SCRIPT_TOKEN)]
      .map(({ groups }) => groups?.['comment'] ?? '')
      .join('\n');
  const pattern = path.endsWith('.sql') ? SQL_COMMENT : HASH_COMMENT;
  return [...text.matchAll(pattern)].map(([comment]) => comment).join('\n');
}

/** The avoided words by folder: in comments, in all other text of code, in documents. */
export function avoidedByFolder(): ReadonlyMap<string, Readonly<Record<Kind, number>>> {
  const counts = new Map<string, Record<Kind, number>>();
  for (const path of trackedFiles()) {
    const text = read(path);
    const all = countAvoided(text);
    if (all === 0) continue;
    const folder = path.includes('/') ? (path.split('/')[0] ?? '') : '.';
    const count = counts.get(folder) ?? { comments: 0, texts: 0, documents: 0 };
    if (path.endsWith('.md')) {
      count.documents += all;
    } else {
      const comments = countAvoided(readComments(path, text));
      count.comments += comments;
      count.texts += all - comments;
    }
    counts.set(folder, count);
  }
  return counts;
}

/** The sum over all folders. */
export function avoidedInAll(): Readonly<Record<Kind, number>> {
  const sum = { comments: 0, texts: 0, documents: 0 };
  for (const count of avoidedByFolder().values())
    for (const kind of KINDS) sum[kind] += count[kind];
  return sum;
}

/** The paragraphs and list items of a document: without code, tables and headings. */
export function splitParagraphs(document: string): readonly string[] {
  return document
    .replaceAll(/^\s*(`{3,})[\s\S]*?^\s*\1$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .filter((block) => block !== '' && !/^(?:\||#|!\[)/.test(block))
    .map((block) => block.replace(/^(?:[-*]|\d+\.) /, ''));
}

/** Sentences end at a full stop, a question mark or an exclamation mark before a space. */
export const splitSentences = (paragraph: string): readonly string[] =>
  paragraph
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/(?<=[.?!])\*{0,2} +/)
    .filter((sentence) => /\p{L}{2}/u.test(sentence));

const countWords = (sentence: string): number => sentence.split(' ').length;

/** How long the paragraphs and sentences of a document are. */
export function measureProse(path: string, document: string): Prose {
  const paragraphs = splitParagraphs(document);
  const lengths = paragraphs.map(({ length }) => length).sort((a, b) => a - b);
  const sentences = paragraphs.flatMap(splitSentences);
  const words = sentences.reduce((sum, sentence) => sum + countWords(sentence), 0);
  return {
    path,
    paragraphs: paragraphs.length,
    medianParagraph: lengths[Math.floor(lengths.length / 2)] ?? 0,
    wordsPerSentence: sentences.length === 0 ? 0 : words / sentences.length,
  };
}

/** README.md and the documents below docs. */
export const documents = (): readonly Prose[] =>
  trackedFiles('*.md').map((path) => measureProse(path, read(path)));
