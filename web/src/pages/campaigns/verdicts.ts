import type { CampaignVerdict } from '@tidings/contracts/push/campaigns';
import type { Tone } from '../../ui/badge.tsx';

type Shown = { readonly tone: Tone; readonly label: string };

/** Tone and label of a completed campaign, the same on every page. */
export const VERDICTS: Readonly<Record<CampaignVerdict, Shown>> = {
  no_one_reached: { tone: 'bad', label: 'None reached' },
  all_failed: { tone: 'bad', label: 'All failed' },
  with_failures: { tone: 'warn', label: 'Some failed' },
  with_unknown: { tone: 'warn', label: 'Some unknown' },
  with_expired: { tone: 'warn', label: 'Some expired' },
  waiting: { tone: 'info', label: 'Waiting for devices' },
  successful: { tone: 'quiet', label: 'Completed' },
};

export const UNFETCHED_TEST: Shown = { tone: 'quiet', label: 'Not fetched' };
