import {
  integer,
  list,
  optionalText,
  text,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';

export const sandboxConfig = {
  // Loopback, because the sandbox accepts any mail and shows it to anyone.
  host: text('HOST', 'Address that the page and all stand-in providers listen on.', {
    default: '127.0.0.1',
  }),
  port: integer('PORT', 'Port of the page and of /api; 0: any free port.', {
    default: 8025,
    max: 65_535,
  }),
  hostnames: list(
    'SANDBOX_HOSTNAMES',
    'Names or addresses besides those of this machine by which the page and /api are opened, separated by commas. Others get 421, so that no web page reads messages by a name of its own. Workers reach the providers by any name.',
    { default: [] },
  ),
  smtpPort: integer('SMTP_PORT', 'Port of the SMTP server; 0: any free port.', {
    default: 2525,
    max: 65_535,
  }),
  dataDir: text('DATA_DIR', 'Folder for received messages; created if missing.'),
  messagesMax: integer(
    'MESSAGES_MAX',
    'Maximum stored messages; beyond it the oldest tenth is deleted.',
    {
      default: 200_000,
      min: 10,
      max: 2_000_000,
    },
  ),
  reportUrl: optionalText(
    'REPORT_URL',
    'URL for bounces and complaints, called with the user and password of the mail; empty: none are sent.',
  ),
  hookSecret: optionalText(
    'HOOK_SECRET',
    'Secret (whsec_…) that verifies received hooks; empty: signatures are not checked.',
    { secret: true },
  ),
} as const satisfies ConfigSpec;
export type SandboxConfig = ConfigOf<typeof sandboxConfig>;
