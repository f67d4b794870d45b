import { isMailbox } from '@tidings/contracts/channels/addresses';

type Block = readonly [first: number, last: number];

const ASCII: Block = [0x00, 0x7f];
/** No character is assigned between these and the supplementary ones. */
const BLOCKS: readonly Block[] = [
  [0x00, 0x3_3fff],
  [0xe_0000, 0xe_0fff],
];

type MailboxPatterns = { readonly any: string; readonly ascii: string };

let patterns: MailboxPatterns | undefined;

/**
 * `isMailbox` as regular expressions of Postgres, which has no Unicode properties: the characters
 * of each part are asked of it, once in a process. `ascii` matches those of ASCII alone. The caller
 * checks the lengths: a bound within a pattern makes it ten times slower.
 */
export function mailboxPatterns(): MailboxPatterns {
  patterns ??= { any: patternOf(BLOCKS), ascii: patternOf([ASCII]) };
  return patterns;
}

function patternOf(blocks: readonly Block[]): string {
  const local = rangesOf(blocks, (character) => isMailbox(`${character}@a`));
  const label = rangesOf(blocks, (character) => isMailbox(`a@${character}`));
  return `^[${local}]+@([${label}]+[.])*[${label}]+$`;
}

function rangesOf(blocks: readonly Block[], isAllowed: (character: string) => boolean): string {
  const ranges: string[] = [];
  for (const [first, last] of blocks) {
    let start: number | null = null;
    for (let code = first; code <= last + 1; code += 1) {
      const isInside =
        code <= last &&
        !(code >= 0xd800 && code <= 0xdfff) &&
        isAllowed(String.fromCodePoint(code));
      if (isInside) start ??= code;
      else if (start !== null) {
        ranges.push(`${escaped(start)}-${escaped(code - 1)}`);
        start = null;
      }
    }
  }
  return ranges.join('');
}

const escaped = (code: number): string => `\\U${code.toString(16).padStart(8, '0')}`;
