import type { Affected } from './affected-tests.ts';

export type Check = 'types' | 'lint' | 'format' | 'size';

const IS_CODE = /\.[cm]?(ts|js)x?$/;

/** The checks besides tests that a change can reach. */
export function checksFor(
  changed: readonly string[],
  { everythingBecauseOf, reachesPages }: Omit<Affected, 'tests'>,
): readonly Check[] {
  const isAll = everythingBecauseOf !== null;
  const hasCode = isAll || changed.some((path) => IS_CODE.test(path));
  const isNeeded: Readonly<Record<Check, boolean>> = {
    types: hasCode,
    lint: hasCode,
    format: changed.length > 0,
    size: isAll || reachesPages,
  };
  return (['types', 'lint', 'format', 'size'] as const).filter((check) => isNeeded[check]);
}
