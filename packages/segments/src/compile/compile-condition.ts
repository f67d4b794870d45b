import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from '../condition-context.ts';
import { leafOf } from '../leaves/leaves.ts';
import type { FoldedLeaves } from './folded-leaves.ts';
import { createParameters, type Parameters } from './parameters.ts';
import type { CompiledLeaf, Shape, StatementParts } from './statement-parts.ts';

/** A leaf with its place in the condition. Below a segment, the places begin anew. */
export type PlacedLeaf = CompiledLeaf & { readonly place: string };

/** A condition as parts of a statement about users `u`. Others may add parameters. */
export type CompiledCondition = {
  readonly parameters: Parameters;
  /** SQL: the id of the application. */
  readonly application: string;
  /** Begins the statement. */
  readonly with: string;
  readonly from: string;
  /** Registered users of the application, without the condition. */
  readonly isRegistered: string;
  /** The condition; never null. */
  readonly truth: string;
  /** Further conditions of the same statement. */
  readonly others: readonly string[];
  readonly leaves: readonly PlacedLeaf[];
  /**
   * The first instant, in milliseconds, at which time alone may change the answer: before it none
   * does. Null: never. Only if it was asked for.
   */
  readonly recheck: string;
};

/**
 * Compiles a condition that `readCondition` returned.
 * @param folded its leaves about funnels
 * @param now the moment of the question, in milliseconds
 */
export function compileCondition(
  condition: Condition,
  {
    context,
    shape,
    now,
    folded = new Map(),
    others = [],
    hasRechecks = false,
    parameters = createParameters(),
  }: {
    readonly context: ConditionContext;
    readonly shape: Shape;
    readonly now: number;
    readonly folded?: FoldedLeaves;
    readonly others?: readonly Condition[];
    /** Only of a condition that may be live. */
    readonly hasRechecks?: boolean;
    /** Of a statement that has others already. */
    readonly parameters?: Parameters;
  },
): CompiledCondition {
  const application = parameters.add(context.applicationId, 'uuid');
  const parts: StatementParts = {
    shape,
    context,
    parameters,
    now,
    application,
    joins: [],
    folded,
    hasRechecks,
  };
  const leaves: PlacedLeaf[] = [];
  const truth = compileNode({ parts, leaves }, condition, '');
  const otherTruths = others.map((other) => compileNode({ parts, leaves: [] }, other, ''));
  return {
    parameters,
    application,
    with:
      shape === 'all'
        ? `with merged as materialized (select id, merged_into from users
             where application_id = ${application} and merged_into is not null)`
        : '',
    from: ['users u', ...parts.joins].join(' '),
    isRegistered: `u.application_id = ${application} and u.registered_at is not null`,
    truth,
    others: otherTruths,
    leaves,
    recheck: compileRecheck(leaves),
  };
}

/** What lies beyond the calendar of Postgres never comes. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** SQL: the first instant at which one of the leaves may change. */
function compileRecheck(leaves: readonly PlacedLeaf[]): string {
  const instants = leaves.flatMap(({ rechecks = [] }) =>
    rechecks.map((each) => `${each}::numeric`),
  );
  if (instants.length === 0) return 'null::float8';
  return `(select i.at::float8 from (values (least(${instants.join(', ')}))) as i(at) where i.at <= ${LAST_MS})`;
}

type Compilation = { readonly parts: StatementParts; readonly leaves: PlacedLeaf[] };

function compileNode(compilation: Compilation, condition: Condition, place: string): string {
  const { parts, leaves } = compilation;
  const below = (child: Condition, step: string): string =>
    compileNode(compilation, child, `${place}/${step}`);
  const node = nodeOf(condition);
  switch (node.type) {
    case 'group': {
      const truths = node.children.map((child, index) => below(child, `${node.key}/${index}`));
      return `(${truths.join(node.key === 'all' ? ' and ' : ' or ')})`;
    }
    case 'not':
      return `not ${below(node.child, 'not')}`;
    case 'segment': {
      const named = parts.context.segments.get(node.leaf.segment);
      // Deleted since: it has no members.
      return named === undefined ? 'false' : below(named, 'segment');
    }
    case 'fact': {
      const leaf = leafOf(node.key).compile(parts, node.leaf);
      leaves.push({ ...leaf, place });
      return leaf.truth;
    }
  }
}
