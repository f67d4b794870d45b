import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';

/** One shell block of a guide, and the JSON that the guide shows as its answer; null when it shows none. */
export type Step = { readonly command: string; readonly answer: object | null };

/** Values that differ in each run. A guide shows an example of them. */
const VOLATILE = new Set([
  'requestId',
  'campaignId',
  'createdAt',
  'tookMs',
  'asOf',
  'durationMs',
  'at',
  'lookedUntil',
]);
/** Stands in an object of a shown answer for the fields that it leaves out. */
const LEFT_OUT = '…';

/** The text of a document, by its path from the root of the repository. */
export const readGuide = (path: string): string => readFileSync(join(ROOT_DIR, path), 'utf8');

/** The code of the fenced blocks of a document, in order, by language. */
export function listBlocks(
  document: string,
): readonly { readonly language: string; readonly code: string }[] {
  return [...document.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', code = '']) => ({ language, code }),
  );
}

/** The shell blocks of a document. A JSON block that follows a shell block is its answer. */
export function listSteps(document: string): readonly Step[] {
  const blocks = listBlocks(document).filter(({ language }) => ['sh', 'json'].includes(language));
  return blocks.flatMap(({ language, code }, index) => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    return [{ command: code, answer: next?.language === 'json' ? readAnswer(next.code) : null }];
  });
}

/** Whether a command only reads, so that it may be repeated until its answer is complete. */
export const onlyReads = ({ command }: Step): boolean =>
  !/ -d '| -X POST/.test(command) ||
  command.includes('"dryRun": true') ||
  /\/(segments|templates|CAMPAIGN_ID)\/(preview|count|explain|render) /.test(command);

/** The answer that a guide shows: `{"status":"accepted",…}` has further fields. */
const readAnswer = (code: string): object =>
  JSON.parse(
    code.replaceAll(new RegExp(`([,{]\\s*)${LEFT_OUT}\\s*}`, 'g'), `$1"${LEFT_OUT}":true}`),
  ) as object;

/** What an answer must equal to be the one that is shown; without one, anything but an error. */
export const toAnswer = (shown: Step['answer']): unknown =>
  shown === null ? expect.not.objectContaining({ code: expect.anything() }) : toExpected(shown);

/** An object without `…` has no further fields. */
function toExpected(shown: unknown): unknown {
  if (Array.isArray(shown)) return shown.map(toExpected);
  if (typeof shown !== 'object' || shown === null) return shown;
  const { [LEFT_OUT]: hasMore, ...fields } = shown as Readonly<Record<string, unknown>>;
  const expected = Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [
      key,
      VOLATILE.has(key) ? expect.anything() : toExpected(field),
    ]),
  );
  return hasMore === undefined ? expected : expect.objectContaining(expected);
}
