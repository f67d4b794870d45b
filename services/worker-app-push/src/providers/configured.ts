/** The provider in use and its settings. */
export { createFcm as createProvider } from './fcm/provider.ts';
export { fcmConfig as providerConfig } from './fcm/settings.ts';
