export { toHealthSignal } from './accounts/health-signal.ts';
export {
  createRejectedAddresses,
  type RejectionCause,
  type RejectedAddresses,
} from './accounts/rejected-addresses.ts';
export { channelWorker } from './channel-worker.ts';
export type {
  Channel,
  ChannelDefinition,
  DeliveryToPoll,
  KnownProviderIds,
  OutcomePoller,
  OutgoingDelivery,
  PersonalParts,
  SendResult,
} from './channel.ts';
export { channelWorkerConfig, inboxWorkerConfig, sendConcurrencyOf } from './config.ts';
export { inboxWorker } from './inbox-worker.ts';
export { RETRY_POLICIES, stateAfterSend } from './outcomes.ts';
