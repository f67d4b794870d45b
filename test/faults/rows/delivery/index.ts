import type { DeliveryRow } from './delivery-row.ts';
import { campaignsKilled, workersKilled, workersStarved } from './kills.ts';

/** What can happen to campaigns on their way, in the order of the table. */
export const DELIVERY_ROWS: readonly DeliveryRow[] = [campaignsKilled, workersKilled, workersStarved];
