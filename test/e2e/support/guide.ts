import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';

/** One shell block of a guide, and the JSON that the guide shows as its answer, `{}` when it shows none. */
export type Step = { readonly command: string; readonly answer: object };

/** Values that differ in each run. A guide shows an example of them. */
const VOLATILE = new Set(['requestId', 'campaignId', 'createdAt']);

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
    const answer =
      next?.language === 'json' ? (withoutVolatile(JSON.parse(next.code)) as object) : {};
    return [{ command: code, answer }];
  });
}

/** Whether a command only reads, so that it may be repeated until its answer is complete. */
export const onlyReads = ({ command }: Step): boolean =>
  !/ -d '| -X POST/.test(command) ||
  command.includes('"dryRun": true') ||
  /\/(segments|templates|CAMPAIGN_ID)\/(preview|count|explain|render) /.test(command);

function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !VOLATILE.has(key))
      .map(([key, field]) => [key, withoutVolatile(field)]),
  );
}
