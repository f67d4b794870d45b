export {
  acceptPush,
  sendPushAnswer,
  type PushAnswer,
  type PushDependencies,
  type Sender,
} from './accept-push.ts';
export type { CampaignQueue } from './campaign-queue.ts';
export { createCampaignBatcher, type CampaignBatcher } from './campaign-batcher.ts';
export {
  openCampaignIntake,
  pushConfig,
  readPushRate,
  type CampaignIntake,
} from './open-campaign-intake.ts';
export { readPush, type Push } from './read-push.ts';
