import { api } from './api.js';
import { el } from './dom.js';

/** Buttons for the reported actions of a message, and the result of the last one. */
export function actionBar(message) {
  const actions = availableActions(message);
  if (actions.length === 0 || !message.deliveryId || !message.campaignId) return null;
  const note = el('span', { class: 'note', role: 'status' });
  const perform = async ({ action, choice, done }) => {
    try {
      const { leadsTo } = await api.performAction({
        campaignId: message.campaignId,
        deliveryId: message.deliveryId,
        to: message.to,
        action,
        ...(choice === undefined ? {} : { choice }),
      });
      note.textContent = leadsTo ? `${done}. Target: ${leadsTo}` : `${done}.`;
    } catch (error) {
      note.textContent = error.message;
    }
  };
  return el(
    'div',
    { class: 'action-bar', role: 'group', 'aria-label': 'Actions of the recipient' },
    ...actions.map((each) =>
      el('button', { type: 'button', onclick: () => perform(each) }, each.label),
    ),
    note,
  );
}

const CLICK = { action: 'clicked', label: 'Click', done: 'Clicked' };
const DISMISS = { action: 'dismissed', label: 'Dismiss', done: 'Dismissed' };
const LINKS_MAX = 8;

function availableActions({ channel, data }) {
  if (channel === 'EMAIL') return mailActions(data.html ?? '');
  if (channel === 'WEB_PUSH') return [CLICK, ...buttonActions(data.notification?.buttons), DISMISS];
  if (channel === 'APP_PUSH')
    return [
      { action: 'displayed', label: 'View', done: 'Displayed' },
      CLICK,
      ...buttonActions(data.data?.buttons),
      DISMISS,
    ];
  if (channel === 'IN_APP' || channel === 'ON_SITE') return [CLICK, DISMISS];
  return [];
}

/**
 * Actions of an e-mail: its pixel and its links; an untracked e-mail has none. Parsing into a
 * separate document loads nothing.
 */
function mailActions(html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  const links = [...parsed.querySelectorAll('[href*="/t/c/"]')].slice(0, LINKS_MAX);
  const opens = parsed.querySelector('img[src*="/t/o/"]')
    ? [{ action: 'opened', label: 'Open e-mail', done: 'Opened' }]
    : [];
  return [
    ...opens,
    ...links.map((link, choice) => ({
      action: 'clicked',
      choice,
      label: `Click “${shortened(link.textContent) || `link ${choice + 1}`}”`,
      done: 'Clicked',
    })),
  ];
}

function buttonActions(buttons) {
  return asList(buttons).map(({ label }, choice) => ({
    action: 'clicked',
    choice,
    label: `Click “${shortened(label)}”`,
    done: 'Clicked',
  }));
}

const shortened = (text) => {
  const words = String(text ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > 28 ? `${words.slice(0, 27)}…` : words;
};

/** A list, or its JSON: FCM data fields are strings. */
export function asList(value) {
  if (Array.isArray(value)) return value;
  try {
    const list = JSON.parse(value ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
