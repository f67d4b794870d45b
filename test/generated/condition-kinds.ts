import { LEAF_DESCRIPTORS, LEAF_KINDS } from '@tidings/contracts/segments/leaves/descriptors';

/** The rows of the kinds, below that of the groups. */
const KIND_ROWS = /(?<=^\| `all`, `any`, `not` \|[^\n]*\n)(?:\| `\w+` \|[^\n]*\n)+/m;

/** The reference with one row per kind of condition. @throws when its table has no such rows */
export function withConditionKinds(reference: string): string {
  if (!KIND_ROWS.test(reference)) throw new Error('the reference has no table of conditions');
  const rows = LEAF_KINDS.map((kind) => `| \`${kind}\` | ${LEAF_DESCRIPTORS[kind].meaning} |\n`);
  return reference.replace(KIND_ROWS, () => rows.join(''));
}
