/** The provider in use and its settings. */
export { createTwilio as createProvider } from './twilio/provider.ts';
export { twilioConfig as providerConfig } from './twilio/settings.ts';
