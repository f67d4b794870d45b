/** The provider in use and its settings. */
export { createSmtp as createProvider } from './smtp/provider.ts';
export { smtpConfig as providerConfig } from './smtp/settings.ts';
