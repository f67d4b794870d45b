export { toHealthSignal } from './accounts/health-signal.ts';
export {
  createRejectedAddresses,
  type RejectionCause,
  type RejectedAddresses,
} from './accounts/rejected-addresses.ts';
export type {
  Channel,
  ChannelDefinition,
  DeliveryToPoll,
  KnownProviderIds,
  OutcomePoller,
  OutgoingDelivery,
  SendResult,
} from './channel.ts';
export { channelWorkerConfig, inboxWorkerConfig, sendConcurrencyOf } from './config.ts';
export { RETRY_POLICIES, stateAfterSend } from './outcomes.ts';
export { runChannelWorker } from './run-channel-worker.ts';
export { runInboxWorker } from './run-inbox-worker.ts';
