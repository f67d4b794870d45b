import { type ConfigSpec, integer, text } from '@tidings/platform';

/** Settings of every service with an HTTP listener. */
export const httpConfig = {
  host: text('HOST', 'Address that the HTTP server listens on.', { default: '0.0.0.0' }),
  port: integer('PORT', 'Port that the HTTP server listens on; 0: any free port.', {
    default: 8080,
    max: 65_535,
  }),
} as const satisfies ConfigSpec;
