import type { NeighboursRow } from './neighbours-row.ts';
import { refusedPushes } from './refused-pushes.ts';
import { costlySegmentPushes, segmentQuestions } from './segments.ts';
import { templatesInCampaigns, templatesInPreviews } from './templates.ts';

/** In table order. */
export const NEIGHBOURS_ROWS: readonly NeighboursRow[] = [
  templatesInCampaigns,
  templatesInPreviews,
  costlySegmentPushes,
  refusedPushes,
  segmentQuestions,
];
