import type { Condition } from '@tidings/contracts';
import type { ConditionContext } from '../condition-context.ts';
import { compileEvent } from './event-leaves.ts';
import { compileMessage } from './message-leaves.ts';
import { createParameters, type Parameters } from './parameters.ts';
import { compileAttribute, compileField } from './profile-leaves.ts';
import { compileReachable } from './reachable-leaves.ts';
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
};

/**
 * Compiles a condition that `readCondition` returned.
 * @param now the moment of the question, in milliseconds
 */
export function compileCondition(
  condition: Condition,
  {
    context,
    shape,
    now,
    others = [],
  }: {
    readonly context: ConditionContext;
    readonly shape: Shape;
    readonly now: number;
    readonly others?: readonly Condition[];
  },
): CompiledCondition {
  const parameters = createParameters();
  const application = parameters.add(context.applicationId, 'uuid');
  const parts: StatementParts = { shape, context, parameters, now, application, joins: [] };
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
  };
}

type Compilation = { readonly parts: StatementParts; readonly leaves: PlacedLeaf[] };

function compileNode(compilation: Compilation, node: Condition, place: string): string {
  const list = (children: readonly Condition[], key: string): string[] =>
    children.map((child, index) => compileNode(compilation, child, `${place}/${key}/${index}`));
  if ('all' in node) return `(${list(node.all, 'all').join(' and ')})`;
  if ('any' in node) return `(${list(node.any, 'any').join(' or ')})`;
  if ('not' in node) return `not ${compileNode(compilation, node.not, `${place}/not`)}`;
  if ('segment' in node) {
    const named = compilation.parts.context.segments.get(node.segment);
    // Deleted since: it has no members.
    return named === undefined ? 'false' : compileNode(compilation, named, `${place}/segment`);
  }
  const leaf = compileLeaf(compilation.parts, node);
  compilation.leaves.push({ ...leaf, place });
  return leaf.truth;
}

type Leaf = Exclude<
  Condition,
  { all: unknown } | { any: unknown } | { not: unknown } | { segment: unknown }
>;

function compileLeaf(parts: StatementParts, leaf: Leaf): CompiledLeaf {
  if ('field' in leaf) return compileField(parts, leaf);
  if ('attribute' in leaf) return compileAttribute(parts, leaf);
  if ('event' in leaf) return compileEvent(parts, leaf);
  return 'reachable' in leaf ? compileReachable(parts, leaf) : compileMessage(parts, leaf);
}
