import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import { nodeOf, type Condition, type ConditionKey } from '@tidings/contracts/segments/conditions';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { compileCondition } from './compile/compile-condition.ts';
import { isDateText } from './date-text.ts';
import type { ConditionContext } from './condition-context.ts';
import { foldLeavesOf } from './fold-leaves.ts';
import { leafOf } from './leaves/leaves.ts';
import type { Question } from './members.ts';

/** What a leaf found of the user. Absent: nothing. */
export type Evidence = {
  readonly value?: unknown;
  readonly type?: 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array';
  readonly count?: number;
  readonly sum?: number;
  /** Of a funnel that the user entered: how many steps they came, and how they stand. */
  readonly reached?: number;
  readonly state?: 'dropped' | 'open' | 'converted';
  /** Of `neverFollowedBy`: how many events the other one followed. */
  readonly followed?: number;
  /** Times of the first and the last event, or of a message, in milliseconds. */
  readonly first?: number | bigint;
  readonly last?: number | bigint;
  readonly at?: number;
  /** Why no message would reach the user. */
  readonly reason?: DeliveryReason;
  /** Message ids of the newest events. */
  readonly eventIds?: readonly string[];
};

/** A part of a condition: its place, and whether it is true of the user. */
export type ExplainedNode = {
  readonly pointer: string;
  readonly key: ConditionKey;
  readonly result: boolean;
  readonly evidence?: Evidence;
  /** In an explanation of the past: the values of now were asked, those of then are not stored. */
  readonly isAsOfNow?: true;
  /** Of a segment: the parts of its condition, with pointers into that. */
  readonly tree?: readonly ExplainedNode[];
};

/** Whether a condition is true of a user, and of each of its parts why; parents come first. */
export type Explanation = {
  readonly isMember: boolean;
  readonly tree: readonly ExplainedNode[];
};

/**
 * Explains a condition for a registered user; null if there is none with this customUserId.
 * @param isPast whether `question.now` is an instant of the past
 */
export async function explainMembership(
  sql: Sql,
  question: Question,
  { customUserId, isPast = false }: { readonly customUserId: string; readonly isPast?: boolean },
): Promise<Explanation | null> {
  const { condition, ...rest } = question;
  const { parameters, ...compiled } = compileCondition(condition, {
    ...rest,
    folded: await foldLeavesOf(
      sql,
      { ...rest, conditions: [condition] },
      { customUserIds: [customUserId] },
    ),
    shape: 'explain',
  });
  const leaves = compiled.leaves.map(
    ({ truth, evidence }) => `jsonb_build_array(${truth}, ${evidence})`,
  );
  const { rows } = await sql.query<{ leaves: string }>(
    `select to_jsonb(array[${leaves.join(', ')}]::jsonb[])::text as leaves from ${compiled.from}
     where ${compiled.isRegistered}
       and u.custom_user_id = ${parameters.add(customUserId, 'text')}`,
    parameters.values,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const found = parseExactJson(row.leaves) as readonly Found[];
  const results = new Map(
    compiled.leaves.map(({ place }, index) => [place, found[index] ?? ([false, null] as const)]),
  );
  const tree = explainNode({ results, context: question.context, isPast }, condition, START);
  return { isMember: tree[0]?.result === true, tree };
}

type Found = readonly [result: boolean, evidence: Evidence | null];
type Results = {
  readonly results: ReadonlyMap<string, Found>;
  readonly context: Pick<ConditionContext, 'segments'>;
  readonly isPast: boolean;
};
/** Where a node is: in the whole statement, and in the condition that it belongs to. */
type Position = { readonly place: string; readonly pointer: string };
const START: Position = { place: '', pointer: '' };

/** The node, and then all nodes below it. */
function explainNode(of: Results, condition: Condition, position: Position): ExplainedNode[] {
  const { place, pointer } = position;
  const below = (child: Condition, step: string): ExplainedNode[] =>
    explainNode(of, child, { place: `${place}/${step}`, pointer: `${pointer}/${step}` });
  const node = nodeOf(condition);
  const { key } = node;
  switch (node.type) {
    case 'group': {
      const parts = node.children.map((child, index) => below(child, `${key}/${index}`));
      const result = key === 'all' ? parts.every(isTrue) : parts.some(isTrue);
      return [{ pointer, key, result }, ...parts.flat()];
    }
    case 'not': {
      const part = below(node.child, 'not');
      return [{ pointer, key, result: !isTrue(part) }, ...part];
    }
    case 'segment': {
      const named = of.context.segments.get(node.leaf.segment);
      const tree =
        named === undefined
          ? []
          : explainNode(of, named, { place: `${place}/segment`, pointer: '' });
      return [{ pointer, key, result: isTrue(tree), tree }];
    }
    case 'fact': {
      const [result, evidence] = of.results.get(place) ?? [false, null];
      const shown = evidence === null ? {} : toEvidence(evidence);
      const isOfNow = of.isPast && leafOf(node.key).isOfNow;
      return [
        {
          pointer,
          key,
          result,
          ...(Object.keys(shown).length > 0 && { evidence: shown }),
          ...(isOfNow && { isAsOfNow: true as const }),
        },
      ];
    }
  }
}

const isTrue = ([first]: readonly ExplainedNode[]): boolean => first?.result === true;

/** Without what was not found, and with the type of a value as the contract names it. */
function toEvidence(found: Evidence): Evidence {
  const shown = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
  return 'value' in shown ? { ...shown, type: typeOf(shown['value']) } : shown;
}

function typeOf(value: unknown): NonNullable<Evidence['type']> {
  if (typeof value === 'string') return isDateText(value) ? 'date' : 'string';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return Array.isArray(value) ? 'array' : 'object';
}
