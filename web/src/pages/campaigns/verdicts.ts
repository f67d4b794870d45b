import type { CampaignVerdict } from '@tidings/contracts/push/campaigns';
import type { Tone } from '../../ui/badge.tsx';

type Shown = { readonly tone: Tone; readonly label: string };

/** Tone and label of a completed campaign, the same on every page. */
export const VERDICTS: Readonly<Record<CampaignVerdict, Shown>> = {
  no_one_reached: { tone: 'bad', label: 'Completed · none reached' },
  all_failed: { tone: 'bad', label: 'Completed · all failed' },
  with_failures: { tone: 'warn', label: 'Completed · with failures' },
  with_unknown: { tone: 'warn', label: 'Completed · some unknown' },
  with_expired: { tone: 'warn', label: 'Completed · some expired' },
  waiting: { tone: 'info', label: 'Completed · waiting for devices' },
  successful: { tone: 'good', label: 'Completed' },
};

export const UNFETCHED_TEST: Shown = { tone: 'quiet', label: 'Completed · not fetched' };
