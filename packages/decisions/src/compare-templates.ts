import type { Channel } from '@tidings/contracts/channels/channels';
import { computeReach } from '@tidings/contracts/push/campaign-reach';
import { isReported } from '@tidings/contracts/push/campaign-result';
import {
  STATE_GROUPS,
  SUCCESS_STATES,
  UNREACHABLE_REASONS,
  type DeliveryState,
  type SuccessState,
} from '@tidings/contracts/push/deliveries';
import { drawnShares, type Trial, type WinnerMeasure } from '@tidings/contracts/push/push-winner';
import type { NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import { itemAt } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { findBest, rateOf, type Best, type Rate } from './compare-rates.ts';

const statement = statementsIn(import.meta.dirname);

/** What templates are compared by. */
type Measure = WinnerMeasure;
/** Null: the channel does not report it, or nothing was counted. */
type ByMeasure<T> = Readonly<Record<Measure, T | null>>;

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
  /** Of what the report calls delivered. */
  readonly rates: ByMeasure<Rate>;
};

export type TemplateComparison = {
  readonly items: readonly ComparedTemplate[];
  /** The best of the items, if there are several. */
  readonly best: ByMeasure<Best>;
  /** Those who waited for the better one; null: there are none yet. */
  readonly rest: Pick<ComparedTemplate, 'counts' | 'rates'> | null;
};

/** The outcomes of the templates that a campaign splits its recipients between. Reads every delivery. */
export async function compareTemplates(
  sql: Sql,
  {
    campaignId,
    channel,
    templates,
    trial,
  }: {
    readonly campaignId: string;
    readonly channel: Channel;
    readonly templates: readonly NamedCampaignTemplate[];
    readonly trial: Pick<Trial, 'percent'> | null;
  },
): Promise<TemplateComparison> {
  const shares = drawnShares(
    templates.map(({ share }) => share),
    trial,
  );
  const ends: number[] = [];
  for (const share of shares) ends.push((ends.at(-1) ?? 0) + share);
  const { rows } = await sql.query<CountedRow>(statement('compare-templates'), [
    campaignId,
    ends,
    ends.at(-1) ?? 0,
    UNREACHABLE_REASONS,
  ]);
  const byMeasure = <T>(of: (measure: Measure) => T | null): ByMeasure<T> => ({
    opened: isReported(channel, 'opened') ? of('opened') : null,
    clicked: isReported(channel, 'clicked') ? of('clicked') : null,
  });
  const figuresOf = (index: number) => {
    const counts = count(rows.filter(({ no }) => no === index));
    const { successful: sent, delivered } = counts;
    const { base: of } = computeReach(channel, { sent, delivered });
    const rates = byMeasure((measure) => rateOf({ hits: counts[measure], of }));
    return { of, counts, rates };
  };
  const counted = templates.map((_, index) => figuresOf(index));
  const { counts, rates } = figuresOf(templates.length);
  return {
    items: templates.map(({ slug, version, share }, index) => {
      const { of: _of, ...figures } = itemAt(counted, index);
      return { slug, version, share, ...figures };
    }),
    best: byMeasure((measure) =>
      findBest(counted.map((each) => ({ hits: each.counts[measure], of: each.of }))),
    ),
    rest: counts.recipients === 0 ? null : { counts, rates },
  };
}

type CountedRow = {
  readonly no: number;
  readonly state: DeliveryState;
  readonly is_unreachable: boolean;
  readonly n: number;
};

function count(rows: readonly CountedRow[]): ComparedTemplate['counts'] {
  const sum = (matches: (row: CountedRow) => boolean): number =>
    rows.reduce((total, row) => total + (matches(row) ? row.n : 0), 0);
  const reached = (state: SuccessState): number => {
    const further: readonly string[] = SUCCESS_STATES.slice(SUCCESS_STATES.indexOf(state));
    return sum((each) => further.includes(STATE_GROUPS[each.state]));
  };
  return {
    recipients: sum(() => true),
    successful: reached('sent'),
    delivered: reached('delivered'),
    opened: reached('opened'),
    clicked: reached('clicked'),
    failed: sum(({ state }) => state === 'failed'),
    notReachable: sum(({ is_unreachable: isUnreachable }) => isUnreachable),
  };
}
