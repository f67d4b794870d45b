import { api } from './api.js';
import { byId, formatNumber } from './dom.js';
import { drawFaults, startFaults } from './faults-dialog.js';
import { currentFilter, isFiltered, startFilters } from './filters.js';
import { startLive } from './live.js';
import { drawDetail } from './message-detail.js';
import { drawList, markChosen } from './message-list.js';

const PAGE = 50;
let limit = PAGE;
let chosen;
let wasEmpty;

async function refresh() {
  const filter = currentFilter();
  const [found, counts, { faults }] = await Promise.all([
    api.messages(filter, limit),
    api.counts(filter),
    api.faults(),
  ]);
  drawList(found, chosen?.id, choose);
  drawCounts(counts);
  drawFaults(faults);
  const isEmpty = found.count === 0 && !isFiltered();
  if (isEmpty) chosen = undefined;
  if (isEmpty !== wasEmpty) showEmpty(isEmpty);
}

function drawCounts({ total, unique, repeated }) {
  byId('count-total').textContent = formatNumber(total);
  byId('count-unique').textContent = formatNumber(unique);
  byId('count-repeated').textContent = formatNumber(repeated);
  byId('repeated').classList.toggle('some', repeated > 0);
}

/** An empty sandbox shows how to send a first message instead of the list. */
function showEmpty(isEmpty) {
  wasEmpty = isEmpty;
  document.body.classList.toggle('is-empty', isEmpty);
  document.body.classList.toggle('reading', chosen !== undefined);
  drawDetail(chosen, { isEmpty, close });
}

function choose(message) {
  chosen = message;
  markChosen(message.id);
  document.body.classList.add('reading');
  drawDetail(message, { isEmpty: false, close });
}

/** On a small window: returns to the list and the previous row. */
function close() {
  chosen = undefined;
  document.body.classList.remove('reading');
  drawDetail(undefined, { isEmpty: false, close });
  document.querySelector('.row[aria-current="true"]')?.focus();
  markChosen(undefined);
}

startFilters(() => {
  limit = PAGE;
  document.body.classList.remove('reading');
  void look();
});
const look = startLive(refresh, (state, text) => {
  const live = byId('live');
  live.dataset.state = state;
  if (live.textContent !== text) live.textContent = text;
});
startFaults(look);
byId('more').addEventListener('click', () => {
  limit = Math.min(limit + PAGE, 500);
  void look();
});
byId('delete-all').addEventListener('click', async () => {
  if (confirm('Delete all messages in the sandbox?')) await api.deleteMessages();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && document.body.classList.contains('reading') && !byId('faults').open)
    close();
});
