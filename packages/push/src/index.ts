export {
  acceptPush,
  sendPushAnswer,
  type PushAnswer,
  type PushDependencies,
  type Sender,
} from './accept-push.ts';
export type { Announcer } from './announcer.ts';
export { createCampaignBatcher, type CampaignBatcher } from './campaign-batcher.ts';
export { openPushes, pushConfig, pushRateOf, type Pushes } from './open-pushes.ts';
export { readPush, type Push } from './read-push.ts';
