import type { SqlText } from './statement-files.ts';

/** Tokens in a row that make a copy, if they stand elsewhere, too. */
export const COPY_TOKENS = 40;

const TOKENS = /\$\d+|include [\w/-]+|'(?:[^']|'')*'|"[^"]*"|\w+|::|->>|->|[<>=!]+|[^\s\w]/g;

/**
 * How many tokens of SQL, as its files have it, are in copies: in runs of 40 or more that stand in
 * another place, too.
 */
export function countCopies(texts: readonly SqlText[]): { copied: number; total: number } {
  const all = texts.map(({ text }) => tokensOf(text));
  const places = new Map<string, [text: number, token: number][]>();
  for (const [at, tokens] of all.entries())
    for (let from = 0; from + COPY_TOKENS <= tokens.length; from++) {
      const run = tokens.slice(from, from + COPY_TOKENS).join(' ');
      places.set(run, [...(places.get(run) ?? []), [at, from]]);
    }
  const copied = all.map(() => new Set<number>());
  for (const runs of places.values())
    if (runs.length > 1)
      for (const [at, from] of runs)
        for (let token = from; token < from + COPY_TOKENS; token++) copied[at]?.add(token);
  return {
    copied: copied.reduce((sum, { size }) => sum + size, 0),
    total: all.reduce((sum, { length }) => sum + length, 0),
  };
}

/** Includes count with their arguments, comments do not. */
const tokensOf = (text: string): string[] =>
  text.replaceAll('-- include: ', 'include ').replaceAll(/--.*/g, '').match(TOKENS) ?? [];
