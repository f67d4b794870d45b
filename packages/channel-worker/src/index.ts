export type { Channel, ChannelDefinition, DeliveryToLookUp, KnownProviderIds, OutcomeLookUp, OutgoingDelivery, SendResult } from './channel.ts';
export { channelWorkerConfig } from './config.ts';
export { runChannelWorker } from './run-channel-worker.ts';
