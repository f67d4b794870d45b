import type { Channel } from '@tidings/contracts/channels/channels';
import { TEMPLATE_ATTRIBUTES, type CampaignTemplate } from '@tidings/contracts/push/templates';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionField } from '@tidings/contracts/segments/leaves/field';
import { countUsersLacking } from '@tidings/people/template-users';
import type { Database } from '@tidings/postgres/database';
import { byName, requiredVariables, type RequiredVariables } from './required-variables.ts';

/** How many of these users lack each variable that a message requires. */
export async function countLacking(
  db: Database,
  {
    applicationId,
    channel,
    templates,
    customUserIds,
  }: {
    readonly applicationId: string;
    readonly channel: Channel;
    readonly templates: readonly CampaignTemplate[];
    readonly customUserIds: readonly string[];
  },
): Promise<Record<string, number>> {
  const paths = await requiredVariables(applicationId, channel, templates);
  const counts = await countUsersLacking(db, {
    applicationId,
    customUserIds,
    paths: [...paths.values()],
  });
  return byName(paths, counts);
}

/** For each variable, the condition of users who have no value there, or an empty text. */
export const lackingConditions = (paths: RequiredVariables): readonly Condition[] =>
  [...paths.values()].map((path) => {
    const leaf = leafOf(path);
    return leaf === null
      ? NEVER
      : {
          any: [
            { ...leaf, exists: false },
            { ...leaf, is: '' },
          ],
        };
  });

/** Registered users have it. */
const NEVER: Condition = { field: 'registeredAt', exists: false };

/** Null for what each registered user has. */
function leafOf([first = '', ...rest]: readonly string[]) {
  if (first === TEMPLATE_ATTRIBUTES) return rest.length === 0 ? null : { attribute: rest };
  return ['customUserId', 'registeredAt'].includes(first)
    ? null
    : { field: first as ConditionField };
}
