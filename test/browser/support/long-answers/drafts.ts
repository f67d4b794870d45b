import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { ListedDraft, StoredDraft } from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { AT, LONG, list, one, uuid } from './values.ts';

const { id, words, email, segmentSlug, customUserId } = LONG;
const tags = Array.from({ length: 10 }, (_, tag) => `${tag}${'w'.repeat(49)}`);
const state = {
  version: 12_345,
  createdAt: AT,
  createdBy: `member:${email}`,
  updatedAt: AT,
  updatedBy: `member:${email}`,
};
const drafts: readonly ListedDraft[] = CHANNELS.map((channel, index) => ({
  ...state,
  draftId: uuid(index),
  name: index === 1 ? null : words,
  tags,
  channel,
  title: words,
  segment: index === 1 ? null : segmentSlug,
  recipients: 20_000,
}));
const draft: StoredDraft = {
  ...state,
  draftId: id,
  content: {
    name: words,
    tags,
    channel: 'EMAIL',
    purpose: 'marketing',
    recipients: [customUserId],
    message: { title: words, body: words },
  },
};

export const DRAFT_ANSWERS: Answers = {
  'GET drafts': list(...drafts),
  'GET drafts/*': one(draft),
};
