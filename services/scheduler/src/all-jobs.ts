import type { SchedulerConfig } from './config.ts';
import type { Job } from './job.ts';
import { arrivals } from './jobs/arrivals.ts';
import { automationCounters } from './jobs/automation-counters.ts';
import { campaignCounters } from './jobs/campaign-counters.ts';
import { dateBuilds } from './jobs/date-builds.ts';
import { eventRecount } from './jobs/event-recount.ts';
import { expiredSessions } from './jobs/expired-sessions.ts';
import { failedRuns } from './jobs/failed-runs.ts';
import { idempotencyKeys } from './jobs/idempotency-keys.ts';
import { logRotation } from './jobs/log-rotation.ts';
import { mailboxKeys } from './jobs/mailbox-keys.ts';
import { oldCampaigns } from './jobs/old-campaigns.ts';
import { oldDrafts } from './jobs/old-drafts.ts';
import { oldRehearsals } from './jobs/old-rehearsals.ts';
import { oldRuns } from './jobs/old-runs.ts';
import { oldSends } from './jobs/old-sends.ts';
import { phoneNumbers } from './jobs/phone-numbers.ts';
import { rehearsals } from './jobs/rehearsals.ts';
import { retention } from './jobs/retention.ts';
import { schedules } from './jobs/schedules.ts';
import { secretReencryption } from './jobs/secret-reencryption.ts';
import { settledContexts } from './jobs/settled-contexts.ts';
import { splitWinners } from './jobs/split-winners.ts';
import { wakingRuns } from './jobs/waking-runs.ts';
import { winners } from './jobs/winners.ts';

/**
 * The jobs of an installation.
 * @throws ConfigError when settings contradict each other
 */
export function allJobs(config: SchedulerConfig): readonly Job[] {
  return [
    retention(config),
    eventRecount(),
    oldCampaigns(config),
    oldSends(config),
    oldRuns(config),
    failedRuns(),
    automationCounters(),
    oldDrafts(),
    idempotencyKeys(config),
    expiredSessions(),
    campaignCounters(config),
    phoneNumbers(),
    mailboxKeys(),
    logRotation(),
    winners(),
    splitWinners(),
    wakingRuns(),
    rehearsals(),
    oldRehearsals(),
    schedules(config),
    arrivals(),
    dateBuilds(),
    settledContexts(),
    // Without a previous key there is nothing to re-encrypt.
    ...(config.previousEncryptionKey === '' ? [] : [secretReencryption(config)]),
  ];
}
