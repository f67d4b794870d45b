import { api } from './api.js';
import { el } from './dom.js';

/** What somebody can do with a message that the service hears of: a bar of buttons, and what came of the last. */
export function actsBar(message) {
  const acts = actsOf(message);
  if (acts.length === 0 || !message.deliveryId || !message.campaignId) return null;
  const note = el('span', { class: 'note', role: 'status' });
  const perform = async ({ act, choice, done }) => {
    try {
      const { leadsTo } = await api.act({
        campaignId: message.campaignId,
        deliveryId: message.deliveryId,
        to: message.to,
        act,
        ...(choice === undefined ? {} : { choice }),
      });
      note.textContent = leadsTo ? `${done}: it leads to ${leadsTo}` : `${done}.`;
    } catch (error) {
      note.textContent = error.message;
    }
  };
  return el(
    'div',
    { class: 'acts', role: 'group', 'aria-label': 'As the person who got it' },
    ...acts.map((each) =>
      el('button', { type: 'button', onclick: () => perform(each) }, each.label),
    ),
    note,
  );
}

const CLICK = { act: 'clicked', label: 'Click', done: 'Clicked' };
const DISMISS = { act: 'dismissed', label: 'Dismiss', done: 'Dismissed' };
const LINKS_MAX = 8;

function actsOf({ channel, data }) {
  if (channel === 'EMAIL') return mailActs(data.html ?? '');
  if (channel === 'WEB_PUSH') return [CLICK, ...buttonActs(data.notification?.buttons), DISMISS];
  if (channel === 'APP_PUSH')
    return [
      { act: 'displayed', label: 'Look at it', done: 'Displayed' },
      CLICK,
      ...buttonActs(data.data?.buttons),
      DISMISS,
    ];
  if (channel === 'IN_APP' || channel === 'ON_SITE') return [CLICK, DISMISS];
  return [];
}

/** A mail tells by its picture and its links; one that is not tracked has neither. A parsed document of its own loads nothing. */
function mailActs(html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  const links = [...parsed.querySelectorAll('[href*="/t/c/"]')].slice(0, LINKS_MAX);
  const opens = parsed.querySelector('img[src*="/t/o/"]')
    ? [{ act: 'opened', label: 'Open the mail', done: 'Opened' }]
    : [];
  return [
    ...opens,
    ...links.map((link, choice) => ({
      act: 'clicked',
      choice,
      label: `Click “${shortened(link.textContent) || `link ${choice + 1}`}”`,
      done: 'Clicked',
    })),
  ];
}

function buttonActs(buttons) {
  return listOf(buttons).map(({ label }, choice) => ({
    act: 'clicked',
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

/** A list, or one as JSON: phones get only texts. */
export function listOf(value) {
  if (Array.isArray(value)) return value;
  try {
    const list = JSON.parse(value ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
