import { RELEASED_MAX, releaseScheduled } from '@tidings/delivery/schedules';
import { expandSmall, type ExpansionDependencies } from './expand-small.ts';

export type ReleaseDependencies = ExpansionDependencies & {
  /** A large campaign, or one to a segment, was released. */
  readonly onOthers: () => void;
};

/**
 * Releases campaigns whose time has come, and expands the small ones at once. Killed in between, a
 * sweep expands them: they are queued as if they had just been accepted.
 */
export async function releaseDue(deps: ReleaseDependencies, signal: AbortSignal): Promise<void> {
  for (;;) {
    const released = await releaseScheduled(deps.keyedDb);
    if (released.some(({ lane }) => lane !== 'express')) deps.onOthers();
    await expandSmall(
      deps,
      released.filter(({ lane }) => lane === 'express').map(({ campaignId }) => campaignId),
      { signal },
    );
    if (released.length < RELEASED_MAX || signal.aborted) return;
  }
}
