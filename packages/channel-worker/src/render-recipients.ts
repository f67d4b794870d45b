import type { Lane } from '@tidings/contracts/channels/channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import {
  settleDeliveries,
  targetKey,
  targetOf,
  type StateChange,
} from '@tidings/delivery/change-states';
import { readContexts } from '@tidings/delivery/delivery-contexts';
import { readDeliveryData } from '@tidings/delivery/delivery-data';
import { forgetRenderings, noteRow, type RenderingNotes } from '@tidings/delivery/rendering-notes';
import { Counter, retry, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { MessageToSend } from '@tidings/liquid/compile-message';
import { RENDERER_VERSION } from '@tidings/liquid/filling';
import {
  renderCampaign,
  type PersonalCampaign,
  type RecordedFilling,
  type RenderedForUser,
} from '@tidings/templates/render-campaign';
import { RenderFault } from '@tidings/liquid/render-fault';
import type { ChunkStatements } from './chunk-statements.ts';
import type { Prepared } from './prepare.ts';
import { untilRenderedAgain, type RenderingWaits } from './rendering-waits.ts';

const templateErrorsTotal = new Counter({
  name: 'tidings_template_errors_total',
  help: 'Messages that could not be rendered for their recipient, by fault.',
  labelNames: ['channel', 'code'] as const,
});

/** Processes that ended while they rendered a chunk, before its rows are rendered one by one. */
const NOTES_MAX = 3;

/** A note that stays after its row was rendered would fail that row. */
const TAKE_BACK = { attemptsMax: 40, baseMs: 100, capMs: 2_000 };

export type RenderDependencies = Pick<RenderingWaits, 'clock' | 'renderAgainMs' | 'renderMsMax'> & {
  readonly db: Database;
  readonly statements: Record<
    Lane,
    Pick<ChunkStatements, 'claimRead' | 'noteRendering' | 'takeBackRendering'>
  >;
  readonly logger: Logger;
};

export type RowsToRender = {
  readonly chunk: ChunkRef;
  readonly ready: readonly Prepared[];
};

export type RenderedRows = {
  readonly open: readonly Prepared[];
  readonly changes: readonly StateChange[];
  /** For these the time was over: they are given back. */
  readonly unrendered: readonly Prepared[];
};

/**
 * Renders the messages of a personalised campaign: from what an earlier attempt, or another device of
 * the recipient, got, else from the profiles as they are now. Recipients whose message cannot be
 * rendered are settled without an attempt.
 * `timed_out`: Postgres did not finish the conditions of variants in time.
 *
 * Notes in the chunk that it is being rendered. If processes ended meanwhile, time and again, its rows
 * are rendered one by one, and the one that ends a process once more is settled as failed. What others
 * are to get has its turn before each such try.
 */
export async function renderRecipients(
  deps: RenderDependencies,
  { templates, ...campaign }: CampaignToSend,
  { chunk, ready }: RowsToRender,
): Promise<RenderedRows | 'timed_out'> {
  if (templates === null || ready.length === 0) return { open: ready, changes: [], unrendered: [] };
  const personal = { ...campaign, templates };
  const { noteRendering, takeBackRendering } = deps.statements[campaign.lane];
  const notes = await noteRendering(chunk);
  try {
    if (notes.count > 0) await untilRenderedAgain(deps);
    const endsAt = performance.now() + deps.renderMsMax;
    const rendered =
      notes.count < NOTES_MAX
        ? await renderTogether(deps, personal, { ready, endsAt })
        : await renderOneByOne(deps, personal, { chunk, ready, notes, endsAt });
    // It did not end this process: those notes stand for ends of another cause.
    if (notes.count > 0 && rendered !== 'timed_out' && rendered.unrendered.length === 0)
      await forgetRenderings(deps.db, chunk);
    return rendered;
  } finally {
    await retry(TAKE_BACK, () => takeBackRendering(chunk));
  }
}

type ToRender = PersonalCampaign &
  Pick<CampaignToSend, 'lane' | 'isKept' | 'isOfAutomation' | 'isHeard'>;

async function renderTogether(
  { db }: Pick<RenderDependencies, 'db'>,
  campaign: ToRender,
  { ready, endsAt }: Pick<NotedRows, 'ready' | 'endsAt'>,
): Promise<RenderedRows | 'timed_out'> {
  const ids = [...new Set(ready.map(({ delivery }) => delivery.customUserId))];
  const recorded = await readRecorded(db, campaign, ready);
  const contexts = campaign.isOfAutomation
    ? await readContexts(db.sql, campaign.campaignId, ids)
    : undefined;
  const rendered = await renderCampaign(db, campaign, {
    customUserIds: ids,
    recorded,
    endsAt,
    ...(contexts !== undefined && { contexts }),
  });
  if (rendered === 'timed_out') return rendered;
  const open: Prepared[] = [];
  const changes: StateChange[] = [];
  const unrendered: Prepared[] = [];
  for (const prepared of ready) {
    const own = rendered.get(prepared.delivery.customUserId);
    if (own === undefined) {
      unrendered.push(prepared);
      continue;
    }
    if (own === null) {
      changes.push(changeOf(prepared, null));
      continue;
    }
    const { message } = own;
    if (message instanceof RenderFault) {
      templateErrorsTotal.inc({ channel: campaign.channel, code: message.code });
      changes.push(changeOf(prepared, message));
      continue;
    }
    const isNew = campaign.isKept && !recorded.has(prepared.delivery.customUserId);
    open.push(withMessage(prepared, { ...own, message }, isNew));
  }
  return { open, changes, unrendered };
}

/**
 * What is recorded of these recipients. What is claimed for the first time has no record, unless of a
 * device.
 */
async function readRecorded(
  { sql }: Database,
  { campaignId }: PersonalCampaign,
  ready: readonly Prepared[],
): Promise<Map<string, RecordedFilling>> {
  const again = ready.filter(({ delivery }) => delivery.fence > 1 || delivery.device !== undefined);
  if (again.length === 0) return new Map();
  const ids = [...new Set(again.map(({ delivery }) => delivery.deliveryId))];
  const data = await readDeliveryData(sql, campaignId, ids);
  return new Map(
    again.flatMap(({ delivery: { deliveryId, customUserId } }) => {
      const own = data.get(deliveryId);
      return own === undefined ? [] : [[customUserId, own]];
    }),
  );
}

/** With its message, and what is to be recorded of it. */
function withMessage(
  prepared: Prepared,
  { message, templateNo, variantNo }: RenderedForUser & { readonly message: MessageToSend },
  isNew: boolean,
): Prepared {
  const { delivery } = prepared;
  const { filling } = message;
  if (filling === undefined || !isNew) return { ...prepared, rendered: message };
  const data = { ...filling, templateNo, variantNo, renderer: RENDERER_VERSION };
  return { ...prepared, rendered: message, delivery: { ...delivery, data } };
}

/** The notes that a chunk has when it is rendered one by one. */
type NotedRows = RowsToRender & {
  readonly notes: RenderingNotes;
  /** By `performance.now()`. */
  readonly endsAt: number;
};

async function renderOneByOne(
  deps: RenderDependencies,
  campaign: ToRender,
  { chunk, ready, notes, endsAt }: NotedRows,
): Promise<RenderedRows | 'timed_out'> {
  const { db, logger } = deps;
  const { campaignId } = chunk;
  logger.warn(
    { campaignId },
    'processes ended while they rendered a chunk: its rows are rendered alone',
  );
  const open: Prepared[] = [];
  const unrendered: Prepared[] = [];
  for (const rows of (await claimAll(deps, campaign.lane, ready)).values()) {
    const [{ delivery }] = rows;
    const { deliveryId } = delivery;
    if (notes.rows.has(deliveryId)) {
      logger.error({ campaignId, deliveryId }, 'a message ended its process, and fails');
      await settle(
        db,
        campaign,
        rows.map((row) => changeOf(row, ENDED_PROCESS)),
      );
      await noteRow(db, chunk, { before: deliveryId, next: null });
      continue;
    }
    if (open.length > 0 && performance.now() >= endsAt) {
      unrendered.push(...rows);
      continue;
    }
    await noteRow(db, chunk, { before: null, next: deliveryId });
    const rendered = await renderTogether(deps, campaign, { ready: rows, endsAt }).finally(() =>
      retry(TAKE_BACK, () => noteRow(db, chunk, { before: deliveryId, next: null })),
    );
    if (rendered === 'timed_out') return rendered;
    await settle(db, campaign, rendered.changes);
    open.push(...rendered.open);
  }
  return { open, changes: [], unrendered };
}

/** Rows that were only read may be another worker's, too: whose note stands is certain of a claim alone. */
async function claimAll(
  { statements }: RenderDependencies,
  lane: Lane,
  ready: readonly Prepared[],
): Promise<Map<string, [Prepared, ...Prepared[]]>> {
  const claimed = await statements[lane].claimRead(ready.map(({ delivery }) => delivery));
  const own = new Set(claimed.map(targetKey));
  const byDelivery = new Map<string, [Prepared, ...Prepared[]]>();
  for (const prepared of ready) {
    if (!own.has(targetKey(prepared.delivery))) continue;
    const { readUntil: _readUntil, ...delivery } = prepared.delivery;
    const rows = byDelivery.get(delivery.deliveryId);
    if (rows === undefined) byDelivery.set(delivery.deliveryId, [{ ...prepared, delivery }]);
    else rows.push({ ...prepared, delivery });
  }
  return byDelivery;
}

/** At once: a row whose note is taken back must not come again. */
const settle = (
  db: Database,
  { isHeard }: ToRender,
  changes: readonly StateChange[],
): Promise<unknown> =>
  settleDeliveries(
    db,
    ['claimed'],
    changes.map((change) => ({ ...change, isHeard })),
  );

const ENDED_PROCESS = new RenderFault('limit', 'ended the process that rendered it');

const changeOf = ({ delivery }: Prepared, fault: RenderFault | null): StateChange => ({
  ...targetOf(delivery),
  fence: delivery.fence,
  ...failureOf(fault),
});

/** A user deleted since the claim is not known any more. */
function failureOf(
  fault: RenderFault | null,
): Pick<StateChange, 'state' | 'reason' | 'providerCode' | 'providerMessage'> {
  if (fault === null) return { state: 'failed', reason: 'unknown_user' };
  return {
    state: 'failed',
    reason: 'template_error',
    providerCode: fault.code,
    providerMessage: fault.detail,
  };
}
