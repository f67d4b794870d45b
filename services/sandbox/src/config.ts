import { integer, optionalText, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const sandboxConfig = {
  // Loopback, because the sandbox accepts any mail and shows it to anyone.
  host: text('HOST', 'Address that the page and all stand-in providers listen on.', {
    default: '127.0.0.1',
  }),
  port: integer('PORT', 'Port of the page and of /api; 0 takes a free one.', {
    default: 8025,
    max: 65_535,
  }),
  smtpPort: integer('SMTP_PORT', 'Port of the SMTP server; 0 takes a free one.', {
    default: 2525,
    max: 65_535,
  }),
  dataDir: text('DATA_DIR', 'Folder that keeps what was received; made when it is missing.'),
  messagesMax: integer(
    'MESSAGES_MAX',
    'How many messages are kept; beyond it the oldest tenth is forgotten.',
    {
      default: 200_000,
      min: 10,
      max: 2_000_000,
    },
  ),
  reportUrl: optionalText(
    'REPORT_URL',
    'Where bounces and complaints of mails are passed on, with the user and password of the mail; without it there are none.',
  ),
  hookSecret: optionalText(
    'HOOK_SECRET',
    'Secret (whsec_…) by which received hooks are verified; without it their signatures are not looked at.',
    { secret: true },
  ),
} as const satisfies ConfigSpec;
export type SandboxConfig = ConfigOf<typeof sandboxConfig>;
