import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Database } from '@tidings/postgres/database';
import { createPushCampaign, someDevices, type DevicesOfUsers } from '@tidings/testing';
import type { NewCampaign } from '../accept.ts';
import { targetOf, type StateChange } from '../change-states.ts';
import type { ClaimedDelivery } from '../claims.ts';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { controlOf } from './controlled-campaigns.ts';

/** A delivery to one device is claimed itself. */
const TABLES = ['deliveries', 'delivery_addresses'] as const;

/** The outcome of a send that its provider refused. */
export const refused = (delivery: ClaimedDelivery): StateChange => ({
  ...targetOf(delivery),
  fence: delivery.fence,
  state: 'failed',
  reason: 'provider_rejected',
});

/** Further helpers for tests of deliveries to several addresses. */
export function addressesOf(db: Database) {
  const control = controlOf(db, 'WEB_PUSH');
  const { claimAndMarkSending, settle } = control;

  const pushTo = (devices: DevicesOfUsers, overrides: Partial<NewCampaign> = {}) =>
    createPushCampaign(db, { devices, ...overrides });
  const deliveriesOf = ({ campaignId }: NewCampaign) =>
    listDeliveries(db, campaignId, { limit: 500 });
  /** Of each delivery its state, and those of its addresses. */
  const shapesOf = async (campaign: NewCampaign) =>
    (await deliveriesOf(campaign)).map(({ status, addresses = [] }) => [
      status,
      addresses.map((address) => address.status),
    ]);
  const dueNow = ({ campaignId }: NewCampaign) =>
    Promise.all(
      TABLES.map((table) =>
        db.sql.query(`update ${table} set next_at = now() where campaign_id = $1`, [campaignId]),
      ),
    );
  const endLeases = ({ campaignId }: NewCampaign) =>
    Promise.all([
      ...TABLES.map((table) =>
        db.sql.query(
          `update ${table} set lease_until = now() - interval '1 ms' where campaign_id = $1 and lease_until is not null`,
          [campaignId],
        ),
      ),
      db.sql.query(
        `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1 and leased_until is not null`,
        [campaignId],
      ),
    ]);

  /** A campaign to one user, each of whose addresses has been marked. */
  async function marked(
    devices: number,
  ): Promise<{ readonly campaign: NewCampaign; readonly sends: readonly ClaimedDelivery[] }> {
    const campaign = await pushTo(someDevices(devices));
    return { campaign, sends: await claimAndMarkSending(campaign, 200) };
  }

  /** One state for each address, recorded one by one in this order. */
  async function settled(states: readonly DeliveryState[]): Promise<NewCampaign> {
    const { campaign, sends } = await marked(states.length);
    for (const [index, state] of states.entries())
      await settle(sends.slice(index, index + 1), state);
    return campaign;
  }

  return { ...control, pushTo, deliveriesOf, shapesOf, dueNow, endLeases, marked, settled };
}
