import { api } from './api.js';
import { byId, el, formatNumber } from './dom.js';

/** Usual error status of each provider. */
const USUAL_STATUS = { EMAIL: 550, SMS: 400, WEB_HOOK: 400, WEB_PUSH: 410, APP_PUSH: 404 };

const dialog = byId('faults');
const form = byId('fault-form');

/** Draws the active faults, and their number on the button. */
export function drawFaults(faults) {
  const badge = byId('faults-active');
  badge.hidden = faults.length === 0;
  badge.textContent = formatNumber(faults.length);
  byId('delete-faults').hidden = faults.length === 0;
  byId('fault-list').replaceChildren(
    ...(faults.length === 0
      ? [el('li', { class: 'none' }, 'No active faults.')]
      : faults.map(faultItem)),
  );
}

export function startFaults(refresh) {
  byId('open-faults').addEventListener('click', () => dialog.showModal());
  byId('close-faults').addEventListener('click', () => dialog.close());
  byId('delete-faults').addEventListener('click', () => attempt(api.deleteFaults, refresh));
  form.elements.kind.addEventListener('change', showNeededFields);
  form.elements.channel.value = 'EMAIL';
  form.elements.channel.addEventListener('change', () => {
    form.elements.status.value = USUAL_STATUS[form.elements.channel.value] ?? '';
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(() => api.addFault(readFault(form)), refresh);
  });
  showNeededFields();
}

async function attempt(action, refresh) {
  const problem = byId('fault-error');
  try {
    await action();
    problem.textContent = '';
  } catch (error) {
    problem.textContent = error.message;
  }
  await refresh();
}

function readFault({ elements }) {
  const fault = {
    channel: elements.channel.value,
    kind: elements.kind.value,
    rate: Number(elements.rate.value) / 100,
  };
  if (!elements.delayMs.disabled) fault.delayMs = Number(elements.delayMs.value);
  if (!elements.status.disabled) fault.status = Number(elements.status.value);
  if (!elements.code.disabled && elements.code.value !== '') fault.code = elements.code.value;
  const { retryAfterSeconds } = elements;
  if (!retryAfterSeconds.disabled && retryAfterSeconds.value !== '')
    fault.retryAfterSeconds = Number(retryAfterSeconds.value);
  return fault;
}

/** Shows only the fields of the selected kind. */
function showNeededFields() {
  for (const label of form.querySelectorAll('[data-for]')) {
    const isNeeded = label.dataset.for.split(' ').includes(form.elements.kind.value);
    label.hidden = !isNeeded;
    label.querySelector('input').disabled = !isNeeded;
  }
}

function faultItem({ channel, kind, rate, delayMs, status, code, struck }) {
  const what = [
    `${channel} ${kind.replace('_', ' ')}`,
    delayMs === undefined ? '' : `${formatNumber(delayMs)} ms`,
    status ?? '',
    code ?? '',
  ].filter((part) => part !== '');
  return el(
    'li',
    {},
    el('b', {}, what.join(' · ')),
    el('span', {}, `${formatNumber(rate * 100)} % of requests, ${formatNumber(struck)} affected`),
  );
}
