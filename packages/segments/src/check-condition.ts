import {
  LIMITS,
  type Condition,
  type EventCondition,
  type EventReference,
  type EventWindow,
  type FieldError,
  type FollowingEvent,
  type Warning,
} from '@tidings/contracts';
import { checkComparison, checkFieldComparison } from './check-comparison.ts';
import { DEPTH_EXPECTED } from './condition-bounds.ts';
import { resolveEvent, type ConditionContext, type ResolvedEvent } from './condition-context.ts';
import { checkDuration } from './check-duration.ts';
import { toMs } from './durations.ts';
import { checkNesting } from './segment-nesting.ts';

const DAY_MS = 86_400_000;

export type Findings = { readonly errors: FieldError[]; readonly warnings: Warning[] };

/** Checks a condition of the right shape: what needs the application, and bounds of the whole. */
export function checkCondition(
  condition: Condition,
  context: ConditionContext,
  pointer: string,
): Findings {
  const findings: Findings = { errors: [], warnings: [] };
  const leaves = checkNode({ findings, context }, condition, { pointer, depth: 1 });
  if (leaves > LIMITS.conditionLeavesMax)
    findings.errors.push({
      pointer,
      code: 'too_many',
      expected: `at most ${LIMITS.conditionLeavesMax} leaves`,
    });
  else findings.errors.push(...checkNesting(condition, context, pointer));
  return findings;
}

type Check = { readonly findings: Findings; readonly context: ConditionContext };
type Place = { readonly pointer: string; readonly depth: number };

/** Returns the number of leaves. */
function checkNode(check: Check, node: Condition, { pointer, depth }: Place): number {
  const { errors } = check.findings;
  if (depth > LIMITS.conditionDepthMax) {
    errors.push({ pointer, code: 'too_deep', expected: DEPTH_EXPECTED });
    return 1;
  }
  const below = (child: Condition, step: string): number =>
    checkNode(check, child, { pointer: `${pointer}/${step}`, depth: depth + 1 });
  const sum = (children: readonly Condition[], key: string): number =>
    children.reduce((leaves, child, index) => leaves + below(child, `${key}/${index}`), 0);
  if ('all' in node) return sum(node.all, 'all');
  if ('any' in node) return sum(node.any, 'any');
  if ('not' in node) return below(node.not, 'not');
  if ('field' in node) errors.push(...checkFieldComparison(node, pointer));
  else if ('attribute' in node) errors.push(...checkComparison(node, pointer));
  else if ('event' in node) checkEvent(check, node, pointer);
  else if ('message' in node) errors.push(...checkWindow(node, pointer));
  return 1;
}

function checkEvent(check: Check, node: EventCondition, pointer: string): void {
  const { findings, context } = check;
  const { errors, warnings } = findings;
  const event = checkNamedEvent(check, node, pointer);
  errors.push(...checkWindow(node, pointer));
  const isOtherKind = event !== null && event.definition.kind !== 'revenue';
  for (const field of ['sum', 'currency'] as const)
    if (isOtherKind && node[field] !== undefined)
      errors.push({
        pointer: `${pointer}/${field}`,
        code: 'invalid_value',
        expected: 'an event of the kind revenue',
      });
  if (node.sum !== undefined && node.currency === undefined)
    errors.push({ pointer: `${pointer}/currency`, code: 'required', expected: 'a currency' });
  for (const field of ['followedBy', 'notFollowedBy'] as const) {
    const next = node[field];
    if (next === undefined) continue;
    checkNamedEvent(check, next, `${pointer}/${field}`);
    errors.push(...checkDuration(next.in, `${pointer}/${field}/in`));
  }
  const days = context.eventRetentionDays;
  if (node.within !== undefined && days !== null && toMs(node.within) > days * DAY_MS)
    warnings.push({
      code: 'beyond_retention',
      pointer: `${pointer}/within`,
      detail: `The application keeps events for ${days} days.`,
    });
}

/** The definition that a condition or a following event names, and its `where`. */
function checkNamedEvent(
  { findings, context }: Check,
  { event: reference, where }: Pick<FollowingEvent, 'event' | 'where'>,
  pointer: string,
): ResolvedEvent | null {
  const event = resolveEvent(context, reference);
  if (event === null)
    findings.errors.push({
      pointer: `${pointer}/event`,
      code: 'invalid_value',
      expected: expectedEvent(reference),
    });
  else if (event.definition.discarded)
    findings.warnings.push({
      code: 'definition_discarded',
      pointer: `${pointer}/event`,
      detail: 'New events of this definition are not stored.',
    });
  if (where !== undefined && event?.definition.kind === 'revenue')
    findings.errors.push({
      pointer: `${pointer}/where`,
      code: 'invalid_value',
      expected: 'an event of another kind: revenue has no attributes',
    });
  for (const [index, comparison] of (where ?? []).entries())
    findings.errors.push(...checkComparison(comparison, `${pointer}/where/${index}`));
  return event;
}

const expectedEvent = (reference: EventReference): string =>
  typeof reference === 'string'
    ? 'the slug of a definition'
    : 'the kind and name of a definition of this application';

function checkWindow({ within, from, to }: EventWindow, pointer: string): FieldError[] {
  if (within !== undefined && (from !== undefined || to !== undefined))
    return [{ pointer, code: 'exactly_one_of', expected: 'either within, or from and to' }];
  if (from !== undefined && to !== undefined && from >= to)
    return [{ pointer: `${pointer}/to`, code: 'out_of_range', expected: 'later than from' }];
  return checkDuration(within, `${pointer}/within`);
}
