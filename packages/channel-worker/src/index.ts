export {
  createRejectedAddresses,
  type RejectionCause,
  type RejectedAddresses,
} from './accounts/rejected-addresses.ts';
export { channelWorker } from './channel-worker.ts';
export type {
  Channel,
  DeliveryToPoll,
  KnownProviderIds,
  OutcomePoller,
  OutgoingDelivery,
  PersonalParts,
  SendResult,
} from './channel.ts';
export { channelWorkerConfig, inboxWorkerConfig, sendConcurrencyOf } from './config.ts';
export { inboxWorker } from './inbox-worker.ts';
export { RETRY_POLICIES } from './outcomes.ts';
