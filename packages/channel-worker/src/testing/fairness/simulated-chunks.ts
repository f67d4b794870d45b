import type { Lane } from '@tidings/contracts/channels/channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import type { Clock } from '@tidings/platform';
import type { ChunkStatements } from '../../chunk-statements.ts';

/** Where chunks come from: chunks a second, deliveries in each, and milliseconds that a send takes. */
export type Sender = {
  readonly applicationId: string;
  readonly perSecond: number;
  readonly sendMs: number;
  readonly rows?: number;
} & {
  /** From when on, and until when; else all the time. */
  readonly fromMs?: number;
  readonly untilMs?: number;
};

export const CAMPAIGN_ID = '00000000-0000-7000-8000-000000000000';
/** As in the tables: a dispatched chunk is checked again after this time. */
const GRACE_MS = 5_000;
/** Rows of an express chunk that are claimed at a time. */
const CLAIM_ROWS = 20;

type Row = { dueAt: number; state: 'pending' | 'claimed' | 'sent' };
export type SimulatedChunk = {
  readonly sender: Sender;
  readonly madeAt: number;
  readonly rows: readonly Row[];
  dueAt: number;
  /** Its dispatch record is unread. */ isDispatched: boolean;
};

/** Chunks and their rows, as the tables hold them. */
export interface SimulatedChunks {
  /** Adds a dispatched chunk and returns its number. */
  add(sender: Sender): number;
  get(chunkNo: number): SimulatedChunk;
  campaignOf(chunkNo: number, lane: Lane): CampaignToSend;
  readonly statements: ChunkStatements;
  /** Rows that get no slot, due again after a delay. */
  release(chunkNo: number, claimed: readonly ClaimedDelivery[], delayMs: number): void;
  markSent(chunkNo: number, claimed: readonly ClaimedDelivery[]): void;
  putOff(chunkNo: number, delayMs: number): void;
  /** Takes and dispatches chunks with claimable rows. */
  takeDue(): number[];
}

export function createSimulatedChunks(clock: Pick<Clock, 'monotonicMs'>): SimulatedChunks {
  const chunks: SimulatedChunk[] = [];
  /** Numbers of the chunks with rows that are not sent. */
  const open = new Set<number>();
  const get = (chunkNo: number): SimulatedChunk => {
    const chunk = chunks[chunkNo];
    if (chunk === undefined) throw new Error(`there is no chunk ${chunkNo}`);
    return chunk;
  };
  const nextClaim = ({ rows }: SimulatedChunk): number =>
    Math.min(...rows.map(({ state, dueAt }) => (state === 'pending' ? dueAt : Infinity)));
  const change = (chunkNo: number, claimed: readonly ClaimedDelivery[], to: Partial<Row>): void => {
    const { rows } = get(chunkNo);
    for (const { deliveryId } of claimed) Object.assign(rows[Number(deliveryId)] ?? {}, to);
  };

  function claim({ chunkNo }: ChunkRef) {
    const now = clock.monotonicMs();
    const due = [...get(chunkNo).rows.entries()]
      .filter(([, { state, dueAt }]) => state === 'pending' && dueAt <= now)
      .slice(0, CLAIM_ROWS);
    for (const [, row] of due) row.state = 'claimed';
    const deliveries = due.map(([index]) => ({ deliveryId: `${index}` }) as ClaimedDelivery);
    return Promise.resolve({ deliveries, isFull: deliveries.length === CLAIM_ROWS });
  }

  return {
    add(sender) {
      const madeAt = clock.monotonicMs();
      const rows = Array.from({ length: sender.rows ?? 1 }, (): Row => ({
        dueAt: madeAt,
        state: 'pending',
      }));
      open.add(chunks.length);
      return (
        chunks.push({ sender, madeAt, rows, dueAt: madeAt + GRACE_MS, isDispatched: true }) - 1
      );
    },
    get,
    campaignOf: (chunkNo, lane) =>
      ({
        campaignId: CAMPAIGN_ID,
        applicationId: get(chunkNo).sender.applicationId,
        lane,
        templates: null,
      }) as CampaignToSend,
    statements: {
      claim,
      claimRead: () => Promise.reject(new Error('the simulation claims all rows')),
      markSending: () => Promise.reject(new Error('the simulation marks by itself')),
      noteRendering: () => Promise.reject(new Error('the simulation renders nothing')),
      takeBackRendering: () => Promise.reject(new Error('the simulation renders nothing')),
      schedule({ chunkNo }) {
        const chunk = get(chunkNo);
        chunk.dueAt = Math.min(chunk.dueAt, nextClaim(chunk));
        chunk.isDispatched = false;
        if (chunk.rows.every(({ state }) => state === 'sent')) open.delete(chunkNo);
        return Promise.resolve();
      },
    },
    release: (chunkNo, claimed, delayMs) =>
      change(chunkNo, claimed, { state: 'pending', dueAt: clock.monotonicMs() + delayMs }),
    markSent: (chunkNo, claimed) => change(chunkNo, claimed, { state: 'sent' }),
    putOff(chunkNo, delayMs) {
      const chunk = get(chunkNo);
      chunk.dueAt = Math.max(chunk.dueAt, clock.monotonicMs() + delayMs);
      chunk.isDispatched = false;
    },
    takeDue() {
      const now = clock.monotonicMs();
      const due = [...open].filter(
        (chunkNo) => get(chunkNo).dueAt <= now && !get(chunkNo).isDispatched,
      );
      return due.filter((chunkNo) => {
        const chunk = get(chunkNo);
        const next = nextClaim(chunk);
        const isClaimable = next <= now;
        chunk.dueAt = isClaimable ? now + GRACE_MS : next;
        chunk.isDispatched = isClaimable;
        return isClaimable;
      });
    },
  };
}
