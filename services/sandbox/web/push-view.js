import { asList } from './action-bar.js';
import { api } from './api.js';
import { el } from './dom.js';

/** A push notification on a computer. */
export function webPushView(message) {
  const { notification = {}, ttl, topic, urgency, sender } = message.data;
  const { icon, image, url, buttons = [] } = notification;
  const id = new URL(message.to).pathname.split('/').at(-1);
  return device(
    {
      facts: [
        `TTL ${ttl} s`,
        urgency && `urgency ${urgency}`,
        topic && `topic ${topic}`,
        sender?.subject && `from ${sender.subject}`,
      ],
      unregister: () => api.unsubscribe(id),
      pictures: [icon, image],
    },
    (withPictures) =>
      el(
        'div',
        { class: 'screen desktop' },
        notificationCard({
          source: 'Browser',
          ...message,
          icon,
          image,
          url,
          buttons: asList(buttons),
          withPictures,
        }),
      ),
  );
}

/** An app notification on a phone's lock screen. */
export function appPushView(message) {
  const { notification = {}, data = {}, android = {} } = message.data;
  const {
    icon,
    url,
    images,
    buttons,
    deliveryId: _delivery,
    campaignId: _campaign,
    ...content
  } = data;
  const image = notification.image ?? asList(images)[0];
  return device(
    {
      facts: [
        android.ttl ? `TTL ${android.ttl}` : 'no TTL',
        android.priority && `priority ${android.priority}`,
      ],
      unregister: () => api.unregister(message.to),
      pictures: [icon, image],
    },
    (withPictures) =>
      el(
        'div',
        { class: 'screen phone lock' },
        el(
          'p',
          { class: 'clock' },
          new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(
            new Date(message.receivedAt),
          ),
        ),
        notificationCard({
          source: 'App',
          ...message,
          icon,
          image,
          url,
          buttons: asList(buttons),
          withPictures,
        }),
        ...(Object.keys(content).length === 0
          ? []
          : [
              el('h3', {}, 'customContent'),
              el('pre', { tabindex: 0 }, JSON.stringify(content, null, 2)),
            ]),
      ),
  );
}

/**
 * The bar above a device, and the device. Remote images would reveal a viewer, so they are shown
 * only on request.
 */
function device({ facts, unregister, pictures }, screenOf) {
  const hasPictures = pictures.some((url) => isWeb(url));
  const note = el('span', { role: 'status' });
  const leave = async () => {
    try {
      await unregister();
      note.textContent = 'Unregistered: further pushes are rejected.';
    } catch (error) {
      note.textContent = error.message;
    }
  };
  const pictureNote = hasPictures
    ? el(
        'span',
        {},
        'Remote images are blocked. ',
        el('button', { type: 'button', onclick: () => showPictures() }, 'Show them'),
      )
    : null;
  const bar = el(
    'div',
    { class: 'view-bar' },
    el('span', {}, facts.filter(Boolean).join(' · ')),
    pictureNote,
    el('button', { type: 'button', onclick: leave }, 'Unregister this device'),
    note,
  );
  const holder = el('div', { class: 'device' }, bar, screenOf(false));
  const showPictures = () => {
    pictureNote.remove();
    holder.lastChild.replaceWith(screenOf(true));
  };
  return holder;
}

function notificationCard({ source, title, body, icon, image, url, buttons, withPictures }) {
  const picture = (address, className) => {
    if (!address) return null;
    return withPictures && isWeb(address)
      ? el('img', { class: className, src: address, alt: '', referrerpolicy: 'no-referrer' })
      : el('span', { class: `${className} blocked`, title: address, 'aria-hidden': 'true' });
  };
  return el(
    'article',
    { class: 'notification', 'aria-label': 'Notification' },
    el(
      'header',
      {},
      picture(icon, 'icon') ?? el('span', { class: 'icon none', 'aria-hidden': 'true' }),
      el('span', {}, source),
      el('span', {}, 'now'),
    ),
    el('h3', {}, title ?? ''),
    el('p', {}, body),
    picture(image, 'picture'),
    url ? el('p', { class: 'leads' }, 'Opens ', linkTo(url, url)) : null,
    buttons.length > 0
      ? el('div', { class: 'choices' }, ...buttons.map(({ label, link }) => linkTo(link, label)))
      : null,
  );
}

/** Links only http(s) URLs; shows app URLs as text. */
function linkTo(address, text) {
  return isWeb(address)
    ? el('a', { href: address, target: '_blank', rel: 'noreferrer noopener', title: address }, text)
    : el('span', { title: address }, text);
}

const isWeb = (address) =>
  typeof address === 'string' && /^https?:\/\//i.test(address) && URL.canParse(address);
