import type { ApiAccess } from '@tidings/local';
import type { LoadedPerson } from './people.ts';

export type DataSizes = {
  readonly users: number;
  readonly events: number;
  readonly campaigns: number;
};

export type LoadedData = {
  readonly people: readonly LoadedPerson[];
  /** Null without campaigns. */
  readonly largestCampaignId: string | null;
};

export type LoadAccess = Readonly<Record<'asServer' | 'asAdmin', ApiAccess>>;
