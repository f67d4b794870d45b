import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { LIMITS } from '@tidings/contracts/limits';
import type { Sql } from '@tidings/postgres/database';
import type { Draw } from './draws.ts';
import { intervalOf } from './estimate.ts';
import { EVERYONE, selectWithOthers, type Question } from './members.ts';

/** How many registered users a condition within another one has by itself. */
export type PartCount = { readonly pointer: string; readonly count: number };

/**
 * Estimates from drawn users how many each condition of a group has by itself, in the order of the
 * condition. Each leaf is asked of all of them: none with more than
 * `LIMITS.conditionCountedLeavesMax`. For `askUsers`.
 */
export async function countParts(
  sql: Sql,
  question: Question,
  { customUserIds, registered }: Draw,
): Promise<PartCount[]> {
  const leaves = leavesOf(question.condition);
  if (leaves.length > LIMITS.conditionCountedLeavesMax) return [];
  const parts = partsOf(question.condition, '');
  if (parts.length === 0) return [];
  const users = await selectWithOthers(
    sql,
    { ...question, condition: EVERYONE, customUserIds },
    leaves,
  );
  return parts.map(({ pointer, condition }) => {
    const members = users.filter(({ others }) =>
      isTrue(condition, (leaf) => others[leaves.indexOf(leaf)] === true),
    ).length;
    return {
      pointer,
      count: intervalOf({ members, drawn: customUserIds.length, registered }).count,
    };
  });
}

type Part = { readonly pointer: string; readonly condition: Condition };

function partsOf(condition: Condition, pointer: string): readonly Part[] {
  const node = nodeOf(condition);
  if (node.type === 'not') return partsOf(node.child, `${pointer}/not`);
  if (node.type !== 'group') return [];
  return node.children.flatMap((child, index) => {
    const part = { pointer: `${pointer}/${node.key}/${index}`, condition: child };
    return [part, ...partsOf(child, part.pointer)];
  });
}

function leavesOf(condition: Condition): readonly Condition[] {
  const node = nodeOf(condition);
  if (node.type === 'group') return node.children.flatMap(leavesOf);
  return node.type === 'not' ? leavesOf(node.child) : [node.leaf];
}

function isTrue(condition: Condition, leafIsTrue: (leaf: Condition) => boolean): boolean {
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group':
      return node.key === 'all'
        ? node.children.every((child) => isTrue(child, leafIsTrue))
        : node.children.some((child) => isTrue(child, leafIsTrue));
    case 'not':
      return !isTrue(node.child, leafIsTrue);
    case 'segment':
    case 'fact':
      return leafIsTrue(node.leaf);
  }
}
