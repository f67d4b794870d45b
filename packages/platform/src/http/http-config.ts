import { integer, text, type ConfigSpec } from '../config.ts';

/** What every service that listens for requests is configured with. */
export const httpConfig = {
  host: text('HOST', 'Address of the listener.', { default: '0.0.0.0' }),
  port: integer('PORT', 'Port of the listener; 0 takes a free one.', {
    default: 8080,
    max: 65_535,
  }),
} as const satisfies ConfigSpec;
