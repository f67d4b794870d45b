/** The provider that the channel sends through, and its settings. */
export { createFcm as createProvider } from './fcm/provider.ts';
export { fcmConfig as providerConfig } from './fcm/settings.ts';
