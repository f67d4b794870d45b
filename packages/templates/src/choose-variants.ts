import type { TemplateVariant } from '@tidings/contracts/push/templates';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { selectCustomUserIds } from '@tidings/segments/members';

/**
 * The index of the first variant whose condition is true, for each user for whom there is one. One
 * statement for each variant asks about all users together.
 * @param now the moment of the question, in milliseconds
 */
export async function chooseVariants(
  sql: Sql,
  {
    context,
    variants,
    customUserIds,
    now,
  }: {
    readonly context: ConditionContext;
    readonly variants: readonly Pick<TemplateVariant, 'condition'>[];
    readonly customUserIds: readonly string[];
    readonly now: number;
  },
): Promise<Map<string, number>> {
  const chosen = new Map<string, number>();
  for (const [index, { condition }] of variants.entries()) {
    const open = customUserIds.filter((id) => !chosen.has(id));
    if (open.length === 0) break;
    for (const id of await selectCustomUserIds(sql, { context, condition, now }, open))
      chosen.set(id, index);
  }
  return chosen;
}
