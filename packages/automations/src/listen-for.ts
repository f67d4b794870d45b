import { allNodes, type AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { EventReference } from '@tidings/contracts/segments/leaves/parts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import {
  readDefinitions,
  resolveEvent,
  type ConditionContext,
} from '@tidings/segments/condition-context';
import { PROFILE, REGISTERED, setListens } from '@tidings/user-changes/listens';
import { dateOf } from '@tidings/segments/until';

const statement = statementsIn(import.meta.dirname);

/**
 * Tells the consumers which events the automations of an application may need: those that enter
 * someone, and those that a run may wait for or end by. After a run of an old version has ended, its
 * events are listened to until the next change: that costs a line of the log each.
 * @callers automations
 */
export async function listenFor(sql: Sql, applicationId: string): Promise<void> {
  const { rows } = await sql.query<{ entersPeople: boolean; definition: unknown }>(
    statement('read-listened'),
    [applicationId],
  );
  const definitions = await readDefinitions(sql, applicationId);
  const names = new Set<string>();
  for (const { entersPeople, definition } of rows) {
    const { trigger, exit = [], nodes } = definition as AutomationDefinition;
    const events: EventReference[] = exit.map(({ event }) => event);
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
    for (const event of events) for (const slug of slugsOf({ definitions }, event)) names.add(slug);
  }
  await setListens(sql, applicationId, [...names]);
}

/** A definition that was deleted since names no event. */
export const slugsOf = (
  context: Pick<ConditionContext, 'definitions'>,
  event: EventReference,
): readonly string[] => resolveEvent(context, event)?.slugs ?? [];
