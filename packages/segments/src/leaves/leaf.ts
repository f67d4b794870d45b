import type { CompiledLeaf, StatementParts } from '../compile/statement-parts.ts';
import type { ConditionContext } from '../condition-context.ts';
import type { Findings } from '../findings.ts';

/** A kind of condition: what it is in SQL, and what its schema cannot say. */
export type Leaf<Node> = {
  compile(parts: StatementParts, node: Node): CompiledLeaf;
  /** Adds the faults of a condition of the right shape. */
  check(node: Node, check: LeafCheck): void;
  /** Of what it asks for only the latest is stored: explanations of the past have values of now. */
  readonly isOfNow: boolean;
  /**
   * Whether it may stand in a live segment: each change of its answer is recorded with the user, or
   * comes at an instant that is known before.
   */
  isLive(node: Node): boolean;
  /** Of one that may: which changes of a user may change its answer. */
  hears(node: Node, context: ConditionContext): Hears;
  /** Its questions about a later event whose time can still be open. Absent: it has none. */
  openSequences?(node: Node, now: number): readonly OpenSequence<Node>[];
};

/** Changes of users. */
export type Hears = {
  /** Of the profile. */
  readonly profile?: boolean;
  /** Events of these definitions. */
  readonly slugs?: readonly string[];
  /** Milestones of messages of these campaigns. */
  readonly campaigns?: readonly (readonly [id: string, milestones: readonly string[]])[];
};

/** A question about a later event, and the condition of users to whom it may still happen in time. */
export type OpenSequence<Node> = { readonly key: string; readonly condition: Node };

export type LeafCheck = {
  readonly pointer: string;
  readonly context: ConditionContext;
  readonly findings: Findings;
};
