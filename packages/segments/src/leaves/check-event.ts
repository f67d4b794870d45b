import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { FOLLOWINGS, type FollowingEvent } from '@tidings/contracts/segments/leaves/event';
import type { EventReference } from '@tidings/contracts/segments/leaves/parts';
import { checkComparison } from '../check-comparison.ts';
import { checkDuration } from '../check-duration.ts';
import { checkWindow } from '../check-window.ts';
import { resolveEvent, type ResolvedEvent } from '../condition-context.ts';
import { toMs } from '../durations.ts';
import type { LeafCheck } from './leaf.ts';

const DAY_MS = 86_400_000;

/** Its definitions, and what their kind allows. */
export function checkEvent(node: LeafOf<'event'>, check: LeafCheck): void {
  const { findings, context, pointer } = check;
  const { errors, warnings } = findings;
  const event = checkNamedEvent(node, check);
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
  for (const field of FOLLOWINGS) {
    const next = node[field];
    if (next === undefined) continue;
    checkNamedEvent(next, { ...check, pointer: `${pointer}/${field}` });
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
export function checkNamedEvent(
  { event: reference, where }: Pick<FollowingEvent, 'event' | 'where'>,
  { findings, context, pointer }: LeafCheck,
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
