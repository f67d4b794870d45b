import { isMailbox } from '@tidings/contracts';

/** No character is assigned between these and the supplementary ones. */
const BLOCKS = [
  [0x00, 0x3_3fff],
  [0xe_0000, 0xe_0fff],
] as const;

let pattern: string | undefined;

/**
 * `isMailbox` as a regular expression of Postgres, which has no Unicode properties: the characters
 * of each part are asked of it, once in a process. The length is left to the caller.
 */
export function mailboxPattern(): string {
  if (pattern === undefined) {
    const local = rangesOf((character) => isMailbox(`${character}@a`));
    const label = rangesOf((character) => isMailbox(`a@${character}`));
    pattern = `^[${local}]{1,64}@([${label}]+[.])*[${label}]+$`;
  }
  return pattern;
}

function rangesOf(isAllowed: (character: string) => boolean): string {
  const ranges: string[] = [];
  for (const [first, last] of BLOCKS) {
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
