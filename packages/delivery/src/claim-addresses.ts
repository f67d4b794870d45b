import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Claims deliveries of channels on which a user may have several addresses. The first claim of a
 * delivery decides its devices:
 *
 * - one device, none, or a test address: the delivery itself is claimed, as on other channels,
 * - several devices: it gets a row per address, claimed at once, with fences above the delivery's.
 *   From then on these rows are claimed.
 *
 * All addresses of a delivery are claimed together, so a chunk may return slightly more than $5
 * rows. Each claim reads the current address of the device, because tokens and users of devices
 * change. Data shared by all rows is read once per chunk; a user's data only as far as needed.
 */
export const CLAIM_ADDRESSES = definePrepared(statement('claim-addresses'));
