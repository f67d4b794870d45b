import { api } from './api.js';
import { el } from './dom.js';

/** A text message on a phone, with a reply: STOP, START, HELP or any text. */
export function smsView({ to, body, data }) {
  const said = el('ol', { class: 'bubbles' }, el('li', { class: 'bubble' }, body));
  const input = el('input', {
    name: 'answer',
    maxlength: '1600',
    placeholder: 'STOP',
    'aria-label': 'Answer',
    autocomplete: 'off',
    required: '',
  });
  const note = el('p', { class: 'hint', role: 'status' });
  const answer = async (event) => {
    event.preventDefault();
    const text = input.value;
    try {
      const { status } = await api.inbound({
        from: to,
        to: data.messagingServiceSid ?? data.from,
        body: text,
      });
      said.append(el('li', { class: 'bubble own' }, text));
      note.textContent = `Forwarded; the application returned ${status}.`;
    } catch (error) {
      note.textContent = error.message;
    }
    input.value = '';
  };
  const parts = data.segments === 1 ? '1 segment' : `${data.segments} segments`;
  return el(
    'div',
    { class: 'device' },
    el('div', { class: 'view-bar' }, el('span', {}, `${parts}, ${data.encoding}`)),
    el(
      'div',
      { class: 'screen phone sms' },
      el(
        'div',
        { class: 'sender' },
        el('span', { class: 'face', 'aria-hidden': 'true' }, '#'),
        el('div', {}, el('p', {}, data.messagingServiceSid ?? data.from), el('p', {}, `to ${to}`)),
      ),
      said,
      el(
        'form',
        { class: 'answer', onsubmit: answer },
        input,
        el('button', { type: 'submit' }, 'Answer'),
      ),
      note,
    ),
  );
}
