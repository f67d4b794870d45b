/** The provider in use and its settings. */
export { createPushServiceProvider as createProvider } from './push-service/provider.ts';
export { pushServiceConfig as providerConfig } from './push-service/settings.ts';
