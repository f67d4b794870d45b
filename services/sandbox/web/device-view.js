import { actionBar } from './action-bar.js';
import { el } from './dom.js';
import { hookView } from './hook-view.js';
import { htmlFrame, imagesNote } from './html-frame.js';
import { inAppView, onSiteView } from './inbox-view.js';
import { appPushView, webPushView } from './push-view.js';
import { smsView } from './sms-view.js';

let isPhone = true;

/** A message as its receiver sees it, with the available actions. */
export function deviceView(message) {
  const view = renderMessage(message);
  const bar = view.querySelector('.view-bar');
  const actions = actionBar(message);
  if (actions !== null) bar.after(actions);
  return view;
}

function renderMessage(message) {
  if (message.channel === 'SMS') return smsView(message);
  if (message.channel === 'WEB_HOOK') return hookView(message);
  if (message.channel === 'WEB_PUSH') return webPushView(message);
  if (message.channel === 'APP_PUSH') return appPushView(message);
  if (message.channel === 'IN_APP') return inAppView(message);
  if (message.channel === 'ON_SITE') return onSiteView(message);
  return mailView(message);
}

/** A mail in a mail program, on a phone or computer. */
function mailView(message) {
  const { html } = message.data;
  const screen = el('div', { class: 'screen' }, senderOf(message), renderContent(message, false));
  const resize = (phone) => {
    isPhone = phone;
    screen.classList.toggle('phone', phone);
    for (const button of bar.querySelectorAll('[aria-pressed]')) {
      button.setAttribute('aria-pressed', String((button.textContent === 'Phone') === phone));
    }
  };
  const bar = el(
    'div',
    { class: 'view-bar' },
    el(
      'div',
      { class: 'switch', role: 'group', 'aria-label': 'Device' },
      el(
        'button',
        { type: 'button', 'aria-pressed': 'false', onclick: () => resize(true) },
        'Phone',
      ),
      el(
        'button',
        { type: 'button', 'aria-pressed': 'false', onclick: () => resize(false) },
        'Desktop',
      ),
    ),
    imagesNote(html, () => screen.lastChild.replaceWith(renderContent(message, true))),
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

function renderContent({ body, data, title }, withRemoteImages) {
  if (typeof data.html !== 'string') return el('div', { class: 'plain', tabindex: 0 }, body);
  return htmlFrame({ html: data.html, title: title || 'The mail' }, withRemoteImages);
}
