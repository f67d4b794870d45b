import { readAutomation } from '@tidings/automations/automations';
import { decideSplits } from '@tidings/automation-winners/decide-splits';
import { readSplitReports } from '@tidings/automation-winners/split-report';
import type {
  AutomationDefinition,
  SplitNode,
  SplitWinner,
} from '@tidings/contracts/automations/definition';
import type { SplitReport } from '@tidings/contracts/automations/split-report';
import type { Database } from '@tidings/postgres/database';
import { actionMessage, userMessage } from '@tidings/testing';
import { automationRig, cart, mail } from './rig.ts';

export const PEOPLE = 48;
export const MINIMUM = 10;
export const people = Array.from({ length: PEOPLE }, (_each, index) => `p${index}`);

export const ab = (
  winner: Partial<SplitWinner> = {},
  weights: readonly number[] = [1, 1],
): SplitNode => ({
  id: 'ab',
  split: weights.map((weight, index) => ({ weight, nodes: [mail(`m${index}`)] })),
  winner: { by: 'clicked', after: '1h', minimum: MINIMUM, ...winner },
});
export const order = { event: { kind: 'action', name: 'order' }, as: 'goal' } as const;
export const forGoal = (overrides: Partial<AutomationDefinition> = {}): AutomationDefinition =>
  cart([ab({ by: 'goal' })], { exit: [order], ...overrides });

export type WinnerRig = Awaited<ReturnType<typeof winnerRig>>;

/** An application whose automation `cart` looks for the better branch of its split `ab`. */
export async function winnerRig(db: Database) {
  const rig = await automationRig(db);
  await rig.define('cartd', 'order');

  async function enter(who: readonly string[] = people): Promise<void> {
    const record = (customUserId: string, message: ReturnType<typeof userMessage>) =>
      rig.record({ customUserId, messages: [message] });
    await rig.applyUsers(
      ...who.map((id) => record(id, userMessage({ email: `${id}@example.org` }))),
    );
    await rig.applyEvents(...who.map((id) => record(id, actionMessage({ customName: 'cartd' }))));
    await rig.step();
  }

  const which = { applicationId: rig.applicationId, slug: 'cart' };
  async function automationOf() {
    const automation = await readAutomation(db.sql, which);
    if (automation === null) throw new Error('no automation');
    return automation;
  }

  /** As if all that was done had been done an hour earlier. */
  async function hourPasses(): Promise<void> {
    const { id } = await automationOf();
    await db.sql.query(
      `with versions as (
       update automation_versions set created_at = created_at - interval '61 minutes'
       where automation_id = $1
     )
     update automation_runs set entered_at = entered_at - interval '61 minutes'
     where automation_id = $1`,
      [id],
    );
  }

  /** A share of the people who were sent the message of a branch click on it. */
  async function click(branch: number, share: number): Promise<number> {
    const { rowCount } = await db.sql.query(
      `update deliveries d set state = 'clicked', sent_at = now(), clicked_at = now()
     from (
       select t.delivery_id, row_number() over (order by t.run_id) as no, count(*) over () as n
       from automation_trace t
       where t.application_id = $1 and t.node = $2 and t.outcome = 'sent'
     ) t
     where d.id = t.delivery_id and t.no <= t.n * $3::float8`,
      [rig.applicationId, `m${branch}`, share],
    );
    return rowCount ?? 0;
  }

  async function decide(): Promise<readonly (number | null)[]> {
    const choices: (number | null)[] = [];
    const { id } = await automationOf();
    for (let after: string | null = null; ;) {
      const { last, decided } = await decideSplits(db, { after, limit: 2 });
      for (const each of decided) {
        if ('error' in each) throw each.error;
        if (each.automationId === id) choices.push(each.choice);
      }
      if (last === null) return choices;
      after = last;
    }
  }

  async function reported(): Promise<SplitReport> {
    const report = (await readSplitReports(db.sql, await automationOf())).get('ab');
    if (report === undefined) throw new Error('no report');
    return report;
  }

  /** What traces say of the split, with how often. */
  async function said(): Promise<Record<string, number>> {
    const { rows } = await db.sql.query<{ reason: string; n: number }>(
      `select reason, count(*)::int as n from automation_trace
     where application_id = $1 and node = 'ab' group by 1 order by 1`,
      [rig.applicationId],
    );
    return Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));
  }

  return { ...rig, which, enter, automationOf, hourPasses, click, decide, reported, said };
}
