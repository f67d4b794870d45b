import { STORABLE } from '../../storable-text.ts';
import type { ChannelProvider } from '../provider.ts';
import { line } from './schemas.ts';
import { ratePerSecond } from './setting.ts';

const mailbox = {
  type: 'string',
  maxLength: 254,
  pattern: '^[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+@[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+$',
  description: 'an e-mail address',
} as const;

const domain = {
  type: 'string',
  maxLength: 253,
  pattern: '^(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,62}\\.)+[A-Za-z0-9-]{2,63}$',
  description: 'a domain',
} as const;

const selector = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
  description: 'a selector: letters, digits, dots and hyphens',
} as const;

/** An SMTP server, DKIM, and the destinations of bounces and unsubscribes. */
export const smtpSettings = {
  label: 'SMTP server',
  fields: {
    host: {
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 253,
        pattern: '^[A-Za-z0-9.:_-]+$',
        description: 'a host name or address',
      },
      isRequired: true,
      label: 'SMTP host',
      hint: 'e.g. smtp.example.com',
    },
    port: {
      schema: { type: 'integer', minimum: 1, maximum: 65_535 },
      isRequired: true,
      label: 'Port',
      hint: 'Usually 587 with STARTTLS, 465 with TLS',
    },
    security: {
      schema: { enum: ['none', 'starttls', 'tls'] },
      standard: 'starttls',
      isRequired: true,
      label: 'Encryption',
    },
    fromAddress: {
      isOfChannel: true,
      schema: { ...mailbox, minLength: 3 },
      isRequired: true,
      label: 'Sender address',
    },
    fromName: { isOfChannel: true, schema: line(100), label: 'Sender name' },
    username: { schema: line(200), label: 'User name' },
    password: { schema: line(1_000), label: 'Password', isSecret: true },
    dkimDomain: {
      isOfChannel: true,
      schema: domain,
      label: 'DKIM domain',
      hint: 'To sign messages here. Leave all DKIM fields empty if your provider signs.',
    },
    dkimSelector: {
      isOfChannel: true,
      schema: selector,
      label: 'DKIM selector',
    },
    dkimPrivateKey: {
      isOfChannel: true,
      schema: {
        type: 'string',
        maxLength: 20_000,
        pattern: STORABLE,
        description: 'an RSA private key in PEM',
      },
      label: 'DKIM private key',
      hint: 'RSA, in PEM format',
      isSecret: true,
      isLong: true,
    },
    dkimEd25519Selector: {
      isOfChannel: true,
      schema: selector,
      label: 'DKIM Ed25519 selector',
      hint: 'For a second signature besides RSA (RFC 8463)',
    },
    dkimEd25519PrivateKey: {
      isOfChannel: true,
      schema: {
        type: 'string',
        maxLength: 20_000,
        pattern: STORABLE,
        description: 'an Ed25519 private key in PEM',
      },
      label: 'DKIM Ed25519 private key',
      hint: 'Ed25519, in PEM format',
      isSecret: true,
      isLong: true,
    },
    bounceDomain: {
      isOfChannel: true,
      schema: domain,
      label: 'Bounce domain',
      hint: 'Its mail server must report bounces to /cb/email/dsn',
    },
    bounceSecret: {
      isOfChannel: true,
      schema: {
        type: 'string',
        pattern: '^(\\*{8}|[^\\p{Cc}\\ud800-\\udfff]{16,200})$',
        description: '16 to 200 characters on one line',
      },
      label: 'Bounce webhook secret',
      isSecret: true,
    },
    unsubscribeMailbox: { isOfChannel: true, schema: mailbox, label: 'Unsubscribe mailbox' },
    ratePerSecond,
  },
  example: {
    host: 'smtp.example.com',
    port: 587,
    security: 'starttls',
    fromAddress: 'shop@example.com',
    username: 'shop',
    password: 'correct horse battery staple',
  },
} as const satisfies ChannelProvider;
