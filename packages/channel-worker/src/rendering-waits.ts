import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import type { Timers } from '@tidings/platform';

/** How a worker keeps renderings from holding up what else it has to send. */
export type RenderingWaits = {
  readonly clock: Timers;
  /** How long renderings of an application have waited for a thread. */
  readonly renderWaitMs: (applicationId: string) => number;
  /** How long it waits before it renders what may have ended a process. */
  readonly renderAgainMs: number;
  /** How long rows of one claim are rendered, before the others are given back. */
  readonly renderMsMax: number;
};

/** A chunk whose rendering takes longer lets other chunks proceed, as one that waits for a slot. */
const LONG_RENDERING_MS = 100;
/**
 * While renderings of an application wait longer, none of its chunks is claimed: they would wait for the
 * same thread, and hold what chunks of others need.
 */
const WAIT_MAX_MS = 500;
const BLOCKED_MAX_MS = 10_000;
const AGAIN_AFTER_MAX_MS = 5_000;

/** Milliseconds until chunks of the campaign are tried again: the longer others wait, the more. */
export function renderBlockedMs(
  { renderWaitMs }: Pick<RenderingWaits, 'renderWaitMs'>,
  {
    applicationId,
    templates,
    isTest,
  }: Pick<CampaignToSend, 'applicationId' | 'templates' | 'isTest'>,
): number {
  if (templates === null || isTest) return 0;
  const waitMs = renderWaitMs(applicationId);
  return waitMs > WAIT_MAX_MS ? Math.min(waitMs, BLOCKED_MAX_MS) : 0;
}

/** Calls `onHeldUp` when a rendering that begins now takes long. Returns a function that calls it off. */
export function noticeLongRendering(
  { clock }: Pick<RenderingWaits, 'clock'>,
  onHeldUp: () => void,
): () => void {
  return clock.after(LONG_RENDERING_MS, onHeldUp);
}

/** Both times together leave a third of the lease of claimed rows for their sends. */
export const renderingTimes = (
  claimLeaseMs: number,
): Pick<RenderingWaits, 'renderAgainMs' | 'renderMsMax'> => ({
  // A process that starts has first what ended the one before: its record was not committed, its lease
  // is over. So all else that is due is sent before it is rendered again. Its rows stay claimed meanwhile.
  renderAgainMs: Math.min(AGAIN_AFTER_MAX_MS, claimLeaseMs / 3),
  // Rows whose lease ended while they were rendered are not sent, but rendered again: for ever, if that
  // takes as long each time.
  renderMsMax: claimLeaseMs / 3,
});

export const untilRenderedAgain = ({
  clock,
  renderAgainMs,
}: Pick<RenderingWaits, 'clock' | 'renderAgainMs'>): Promise<void> =>
  new Promise((resolve) => void clock.after(renderAgainMs, resolve));
