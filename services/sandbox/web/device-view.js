import { el } from './dom.js';
import { hookView } from './hook-view.js';
import { appPushView, webPushView } from './push-view.js';
import { smsView } from './sms-view.js';

/** What the frame of a mail may do beyond `sandbox`: show itself. Pictures from the web would tell that it was opened. */
const policy = (images) => `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; font-src data:`;
const REMOTE_IMAGE = /(?:src|srcset|background)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i;

let isPhone = true;

/** A message as its receiver sees it. */
export function deviceView(message) {
  if (message.channel === 'SMS') return smsView(message);
  if (message.channel === 'WEB_HOOK') return hookView(message);
  if (message.channel === 'WEB_PUSH') return webPushView(message);
  if (message.channel === 'APP_PUSH') return appPushView(message);
  return mailView(message);
}

/** A mail in a mail program, on a phone or on a desk. */
function mailView(message) {
  const { html } = message.data;
  const hasRemoteImages = typeof html === 'string' && REMOTE_IMAGE.test(html);
  const screen = el('div', { class: 'screen' }, senderOf(message), contentOf(message, false));
  const resize = (phone) => {
    isPhone = phone;
    screen.classList.toggle('phone', phone);
    for (const button of bar.querySelectorAll('[aria-pressed]')) {
      button.setAttribute('aria-pressed', String((button.textContent === 'Phone') === phone));
    }
  };
  const showImages = () => {
    screen.lastChild.replaceWith(contentOf(message, true));
    bar.lastChild.remove();
  };
  const bar = el(
    'div',
    { class: 'view-bar' },
    el(
      'div',
      { class: 'switch', role: 'group', 'aria-label': 'Device' },
      el('button', { type: 'button', 'aria-pressed': 'false', onclick: () => resize(true) }, 'Phone'),
      el('button', { type: 'button', 'aria-pressed': 'false', onclick: () => resize(false) }, 'Desktop'),
    ),
    hasRemoteImages
      ? el('span', {}, 'Pictures from the web are blocked. ', el('button', { type: 'button', onclick: showImages }, 'Show them'))
      : null,
  );
  resize(isPhone);
  return el('div', { class: 'device' }, bar, screen);
}

function senderOf({ to, data }) {
  const from = data.from ?? 'unknown sender';
  return el(
    'div',
    { class: 'sender' },
    el('span', { class: 'face', 'aria-hidden': 'true' }, [...from][0].toUpperCase()),
    el('div', {}, el('p', {}, from.replace(/ <[^>]*>$/, '')), el('p', {}, `to ${to}`)),
  );
}

/** HTML of a mail exists only inside a frame that may run nothing and reach nothing. */
function contentOf({ body, data, title }, withRemoteImages) {
  if (typeof data.html !== 'string') return el('div', { class: 'plain', tabindex: 0 }, body);
  const frame = el('iframe', { sandbox: '', title: title || 'The mail', referrerpolicy: 'no-referrer' });
  const allowed = policy(withRemoteImages ? 'data: http: https:' : 'data:');
  frame.srcdoc = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${allowed}">${data.html}`;
  return frame;
}
