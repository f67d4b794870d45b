import {
  STATE_GROUPS,
  SUCCESS_STATES,
  UNREACHABLE_REASONS,
  type DeliveryState,
  type SuccessState,
} from '@tidings/contracts/push/deliveries';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type ComparedTemplate = NamedCampaignTemplate & {
  readonly counts: {
    readonly recipients: number;
    readonly successful: number;
    readonly delivered: number;
    readonly opened: number;
    readonly clicked: number;
    readonly failed: number;
    /** Of `failed`. */
    readonly notReachable: number;
  };
};

/** The outcomes of the templates that a campaign splits its recipients between. Reads every delivery. */
export async function compareTemplates(
  sql: Sql,
  {
    campaignId,
    templates,
  }: { readonly campaignId: string; readonly templates: readonly NamedCampaignTemplate[] },
): Promise<ComparedTemplate[]> {
  const ends: number[] = [];
  for (const { share } of templates) ends.push((ends.at(-1) ?? 0) + share);
  const { rows } = await sql.query<{
    no: number;
    state: DeliveryState;
    is_unreachable: boolean;
    n: number;
  }>(statement('compare-templates'), [campaignId, ends, ends.at(-1) ?? 0, UNREACHABLE_REASONS]);
  return templates.map((template, index) => {
    const own = rows.filter(({ no }) => no === index);
    const count = (matches: (row: (typeof rows)[number]) => boolean): number =>
      own.reduce((sum, row) => sum + (matches(row) ? row.n : 0), 0);
    const reached = (state: SuccessState): number => {
      const further: readonly string[] = SUCCESS_STATES.slice(SUCCESS_STATES.indexOf(state));
      return count((each) => further.includes(STATE_GROUPS[each.state]));
    };
    return {
      slug: template.slug,
      version: template.version,
      share: template.share,
      counts: {
        recipients: count(() => true),
        successful: reached('sent'),
        delivered: reached('delivered'),
        opened: reached('opened'),
        clicked: reached('clicked'),
        failed: count(({ state }) => state === 'failed'),
        notReachable: count(({ is_unreachable: isUnreachable }) => isUnreachable),
      },
    };
  });
}
