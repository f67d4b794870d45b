import { DEVICE_CHANNELS } from '@tidings/contracts';
import { isWrittenAhead } from '@tidings/postgres/written-ahead';

const UNSETTLED_STATES = `('pending', 'retry_wait', 'claimed', 'sending')`;

/** SQL of the channels on which a user may have several addresses. */
export const HAS_ADDRESSES = (channel: string): string =>
  `${channel} in (${DEVICE_CHANNELS.map((name) => `'${name}'`).join(', ')})`;

/** SQL of the addresses `d` of the chunk `k` that are not settled: one in `sending` may come back to be tried again. */
export const UNSETTLED_ADDRESSES = `delivery_addresses d where d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and d.state in ${UNSETTLED_STATES}`;

const UNSETTLED_DELIVERIES = `deliveries d where d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and d.state in ${UNSETTLED_STATES}
  and (d.user_id is not null or d.test_address is not null)`;
/** What is being sent is never claimed: its lease counts, which `expireSendingLeases` renews. */
const NEXT_TIME = `min(case when d.state <> 'sending' and ${isWrittenAhead('d.updated_at')} then now()
  when d.state in ('claimed', 'sending') then d.lease_until else d.next_at end)`;

/** SQL of the time at which the next unsettled row of the chunk `k` is to be looked at; null when there is none. */
export const NEXT_CLAIM = `(select ${NEXT_TIME} from ${UNSETTLED_DELIVERIES})`;

/** The same where a user may have several addresses: of them, and of deliveries that have none written down yet. */
export const NEXT_CLAIM_OF_ADDRESSES = `least(
  (select ${NEXT_TIME} from ${UNSETTLED_DELIVERIES} and d.addressed_at is null), (select ${NEXT_TIME} from ${UNSETTLED_ADDRESSES}))`;
