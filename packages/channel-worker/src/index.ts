export { bearingOf } from './accounts/bearing.ts';
export {
  createRefusedAddresses,
  type AddressVerdict,
  type RefusedAddresses,
} from './accounts/refused-addresses.ts';
export type {
  Channel,
  ChannelDefinition,
  DeliveryToLookUp,
  KnownProviderIds,
  OutcomeLookUp,
  OutgoingDelivery,
  SendResult,
} from './channel.ts';
export { channelWorkerConfig, offeringWorkerConfig } from './config.ts';
export { RETRY_POLICIES, stateAfterSend } from './outcomes.ts';
export { runChannelWorker } from './run-channel-worker.ts';
export { runOfferingWorker } from './run-offering-worker.ts';
