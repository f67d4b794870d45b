import {
  allNodes,
  liveSegmentsOf,
  type AutomationDefinition,
} from '@tidings/contracts/automations/definition';
import type { EventReference } from '@tidings/contracts/segments/leaves/parts';
import { hearCampaigns } from '@tidings/delivery/heard-outcomes';
import { setLiveSegments } from '@tidings/live-segments/live-segments';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { resolveEvent, type ConditionContext } from '@tidings/segments/condition-context';
import { hearsOf } from '@tidings/segments/live-conditions';
import { readConditionContext } from '@tidings/segments/segments';
import { PROFILE, REGISTERED, setListens } from '@tidings/user-changes/listens';
import { dateOf } from '@tidings/segments/until';

const statement = statementsIn(import.meta.dirname);

/**
 * Tells the consumers which changes the automations of an application may need: those that enter
 * someone, those that a run may wait for or end by, and those that make members of the segments that
 * do. Their members are known from then on. After a run of an old version has ended, its
 * events are listened to until the next change: that costs a line of the log each.
 * @callers automations
 */
export async function listenFor(sql: Sql, applicationId: string): Promise<void> {
  const { rows } = await sql.query<{ entersPeople: boolean; definition: unknown }>(
    statement('read-listened'),
    [applicationId],
  );
  const context = await readConditionContext(sql, applicationId);
  const segments = new Set<string>();
  const names = new Set<string>();
  for (const { entersPeople, definition } of rows) {
    const { trigger, exit = [], nodes } = definition as AutomationDefinition;
    const events: EventReference[] = exit.flatMap((each) => ('event' in each ? each.event : []));
    for (const { slug, pointer } of liveSegmentsOf(definition as AutomationDefinition))
      if (entersPeople || !pointer.startsWith('/trigger')) segments.add(slug);
    for (const node of allNodes(nodes)) {
      if ('waitFor' in node && 'event' in node.waitFor) events.push(node.waitFor.event);
      if ('until' in node && dateOf(node) !== null) names.add(PROFILE);
    }
    if (entersPeople && 'event' in trigger) {
      events.push(trigger.event);
      names.add(REGISTERED);
    }
    if (entersPeople && 'date' in trigger)
      for (const name of [REGISTERED, PROFILE]) names.add(name);
    for (const event of events) for (const slug of slugsOf(context, event)) names.add(slug);
  }
  for (const slug of segments) {
    const { profile, slugs, campaigns } = hearsOf({ segment: slug }, context);
    names.add(REGISTERED);
    if (profile) names.add(PROFILE);
    for (const each of slugs) names.add(each);
    await hearCampaigns(sql, applicationId, campaigns);
  }
  await setLiveSegments(sql, context, [...segments]);
  await setListens(sql, applicationId, [...names]);
}

/** A definition that was deleted since names no event. */
export const slugsOf = (
  context: Pick<ConditionContext, 'definitions'>,
  event: EventReference,
): readonly string[] => resolveEvent(context, event)?.slugs ?? [];
