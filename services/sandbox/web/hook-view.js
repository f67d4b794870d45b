import { el } from './dom.js';

/** A hook as its receiver reads it: user, content, and whether the signature is valid. */
export function hookView({ body, data }) {
  const { hook = {}, method, url, isVerified, headers = {} } = data;
  const fact = (name, value) =>
    value === undefined || value === null ? [] : [el('dt', {}, name), el('dd', {}, String(value))];
  const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  return el(
    'div',
    { class: 'device' },
    el(
      'div',
      { class: 'view-bar' },
      el(
        'span',
        { class: isVerified ? 'verified' : 'unverified' },
        isVerified ? '✓ Signature verified' : 'Signature not checked: no secret configured',
      ),
    ),
    el(
      'div',
      { class: 'screen hook' },
      el(
        'dl',
        { class: 'headers' },
        ...fact('Request', `${method} ${url}`),
        ...fact('webhook-id', headers['webhook-id']),
        ...fact('Recipient', hook.recipient?.customUserId),
        ...fact(
          'Sent',
          hook.sentAt === undefined ? undefined : new Date(hook.sentAt).toISOString(),
        ),
      ),
      el('pre', { tabindex: 0 }, body),
      ...(hook.customContent
        ? [el('h3', {}, 'customContent'), el('pre', { tabindex: 0 }, text(hook.customContent))]
        : []),
    ),
  );
}
