import type { OutgoingDelivery } from '@tidings/channel-worker';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import type { MailLinks } from '../../mail-links.ts';
import { compileMail, type MailTemplate } from './mail-template.ts';

const TEMPLATES_MAX = 200;
const TEMPLATE_BYTES_MAX = 32 * 1024 * 1024;

const templates = new LRUCache<string, MailTemplate>({
  max: TEMPLATES_MAX,
  maxSize: TEMPLATE_BYTES_MAX,
  sizeCalculation: ({ headers, body }) =>
    body.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : 0), headers.length),
});

/** Hashed once per object: the settings cache reads a campaign again, as a new object, each minute. */
const contentHashes = new WeakMap<object, string>();

/** The template of a delivery's campaign; composed once per version of the settings and the content. */
export function templateFor(delivery: OutgoingDelivery, links: MailLinks): MailTemplate {
  const { message, settingsKey, campaignId, purpose, isTracked, defaultSubject, personal } =
    delivery;
  const key = JSON.stringify([
    campaignId,
    settingsKey,
    hashContent(message),
    purpose,
    isTracked,
    defaultSubject,
    links.base,
    personal !== undefined,
  ]);
  const known = templates.get(key);
  if (known !== undefined) return known;
  const template = compileMail(delivery, links);
  templates.set(key, template);
  return template;
}

function hashContent(message: OutgoingDelivery['message']): string {
  const known = contentHashes.get(message);
  if (known !== undefined) return known;
  const contentHash = hash('sha256', JSON.stringify(message), 'base64');
  contentHashes.set(message, contentHash);
  return contentHash;
}
