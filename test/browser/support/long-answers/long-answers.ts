import { ANALYTICS_QUESTIONS } from '../analytics-answers.ts';
import type { Answers } from '../answer-calls.ts';
import { AUTOMATION_ANSWERS } from './automations.ts';
import { CAMPAIGN_ANSWERS } from './campaigns.ts';
import { CHANNEL_ANSWERS } from './channels.ts';
import { DRAFT_ANSWERS } from './drafts.ts';
import { EVENT_ANSWERS } from './events.ts';
import { FUNNEL_ANSWERS } from './funnels.ts';
import { INGEST_ANSWERS } from './ingest.ts';
import { OVERVIEW_ANSWERS } from './overview.ts';
import { SEGMENT_ANSWERS } from './segments.ts';
import { SETTINGS_ANSWERS } from './settings.ts';
import { TEMPLATE_ANSWERS } from './templates.ts';
import { USER_ANSWERS } from './users.ts';

/** Every list of the dashboard with the longest values that the API accepts. None contains a line-break opportunity. */
export const LONG_ANSWERS: Answers = {
  ...OVERVIEW_ANSWERS,
  ...CAMPAIGN_ANSWERS,
  ...DRAFT_ANSWERS,
  ...INGEST_ANSWERS,
  ...USER_ANSWERS,
  ...EVENT_ANSWERS,
  ...CHANNEL_ANSWERS,
  ...SETTINGS_ANSWERS,
  ...SEGMENT_ANSWERS,
  ...TEMPLATE_ANSWERS,
  ...AUTOMATION_ANSWERS,
  ...ANALYTICS_QUESTIONS,
  ...FUNNEL_ANSWERS,
};
