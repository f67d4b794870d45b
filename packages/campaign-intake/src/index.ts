export type { DraftToSend } from './accept-draft.ts';
export { acceptPush, sendPushAnswer } from './accept-push.ts';
export type { CampaignQueue } from './campaign-queue.ts';
export { createCampaignBatcher, type CampaignBatcher } from './campaign-batcher.ts';
export { openCampaignIntake, pushConfig, readPushRate } from './open-campaign-intake.ts';
export { readPush } from './read-push.ts';
export { resolveTemplates, type ResolvedPush } from './resolve-templates.ts';
