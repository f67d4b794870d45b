import { expect } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { SplitReport } from '@tidings/contracts/automations/split-report';
import { adminAccess, callApi } from '@tidings/install';
import type { LocalFile } from '@tidings/local';
import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import type { Database } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import type { Client } from './client.ts';

const WITHIN = { timeoutMs: 180_000, intervalMs: 200 };

const UNSETTLED = ['pending', 'claimed', 'sending', 'retry_wait'];

const mail = (id: string) =>
  ({ id, send: { channel: 'EMAIL', message: { title: `Of ${id}`, body: 'Once.' } } }) as const;
const SPLIT: AutomationDefinition = {
  version: 1,
  name: 'Two mails',
  purpose: 'transactional',
  trigger: { event: { kind: 'action', name: 'visited' } },
  nodes: [
    {
      id: 'ab',
      split: [
        { weight: 1, nodes: [mail('short')] },
        { weight: 1, nodes: [mail('long')] },
      ],
      winner: { by: 'clicked', after: '15m', minimum: 10 },
    },
    { id: 'day', delay: '1d' },
  ],
};

type ReportedNode = {
  readonly id: string;
  readonly branches?: Readonly<Record<string, number>>;
  readonly winner?: SplitReport;
};

/** An automation that looks for the better of two mails: from its definition to its report. */
export function betterBranch({
  local,
  client,
  db,
}: {
  readonly local: LocalFile;
  readonly client: Client;
  readonly db: Database;
}) {
  const admin = adminAccess(local.baseUrl, local);
  const administer = (method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> =>
    callApi(admin, { method, path: `/api/v1/${path}`, body });
  const enter = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids)
      await eventually(async () => {
        const message = { type: 'action', id: `visit-${id}`, time: Date.now() };
        const { status } = await client.submit({
          customUserId: id,
          messages: [{ ...message, customName: 'visited' }],
        });
        expect(status).toBe(200);
      }, WITHIN);
  };
  const report = async (): Promise<{
    readonly entered: number;
    readonly ab: ReportedNode | undefined;
  }> => {
    const { entered, nodes } = await client.read<{
      readonly entered: number;
      readonly nodes: readonly ReportedNode[];
    }>('automations/two-mails/report');
    return { entered, ab: nodes.find(({ id }) => id === 'ab') };
  };
  const untilEntered = (count: number) =>
    eventually(async () => {
      const found = await report();
      expect(found.entered).toBe(count);
      return found;
    }, WITHIN);
  return {
    enter,
    report,
    untilEntered,
    async activate(): Promise<void> {
      await administer('POST', 'definitions', { kind: 'action', name: 'visited' });
      await administer('PUT', 'automations/two-mails', SPLIT);
      await administer('POST', 'automations/two-mails/activate', {});
    },
    /** Those who got the second mail have clicked. */
    async click(): Promise<number> {
      const { rows } = await eventually(async () => {
        const sent = await db.sql.query<{ id: string; node: string; state: string }>(
          `select d.id, t.node, d.state
           from automation_trace t join deliveries d on d.id = t.delivery_id
           where t.application_id = $1 and t.outcome = 'sent'`,
          [local.applicationId],
        );
        expect(sent.rows.filter(({ state }) => UNSETTLED.includes(state))).toEqual([]);
        return sent;
      }, WITHIN);
      const clicked = rows.filter(({ node }) => node === 'long');
      await applyDeliveryUpdates(
        db,
        clicked.map(({ id: deliveryId }) => ({ deliveryId, outcome: 'clicked' as const })),
      );
      return clicked.length;
    },
    /** As if all of it had been half an hour ago. */
    async halfAnHourPasses(): Promise<void> {
      for (const [table, column] of [
        ['automation_versions', 'created_at'],
        ['automation_runs', 'entered_at'],
      ])
        await db.sql.query(
          `update ${table} set ${column} = ${column} - interval '30 minutes' where application_id = $1`,
          [local.applicationId],
        );
    },
    untilDecided: () =>
      eventually(async () => {
        const { ab } = await report();
        expect(ab?.winner?.decision).toMatchObject({ choice: 1 });
        return ab?.winner?.decision;
      }, WITHIN),
    /** How often the decision is stored. */
    async decisions(): Promise<number> {
      const { rows } = await db.sql.query<{ n: number }>(
        'select count(*)::int as n from decisions where application_id = $1',
        [local.applicationId],
      );
      return rows[0]?.n ?? 0;
    },
    /** What the traces of some people say of the split. */
    async branchesOf(prefix: string): Promise<Record<string, number>> {
      const { rows } = await db.sql.query<{ reason: string; n: number }>(
        `select t.reason, count(*)::int as n
         from automation_trace t
           join automation_runs r on r.id = t.run_id
           join users u on u.id = r.user_id
         where t.application_id = $1 and t.node = 'ab' and u.custom_user_id like $2 || '%'
         group by 1 order by 1`,
        [local.applicationId, prefix],
      );
      return Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));
    },
  };
}
