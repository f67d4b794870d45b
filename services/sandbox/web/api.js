/** The sandbox's API; an error response becomes an Error with a message to show. */
export const api = {
  messages: (filter, limit) => call(`/api/messages?${new URLSearchParams({ ...filter, limit })}`),
  counts: ({ channel, campaignId }) =>
    call(`/api/messages/counts?${new URLSearchParams({ channel, campaignId })}`),
  deleteMessages: () => call('/api/messages', { method: 'DELETE' }),
  faults: () => call('/api/faults'),
  addFault: (fault) =>
    call('/api/faults', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fault),
    }),
  inbound: (answer) =>
    call('/api/inbound', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(answer),
    }),
  performAction: (action) =>
    call('/api/actions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(action),
    }),
  unsubscribe: (subscriptionId) =>
    call(`/push/subscriptions/${encodeURIComponent(subscriptionId)}`, { method: 'DELETE' }),
  unregister: (token) => call(`/push/tokens/${encodeURIComponent(token)}`, { method: 'DELETE' }),
  deleteFaults: () => call('/api/faults', { method: 'DELETE' }),
};

async function call(path, options) {
  const response = await fetch(path, options);
  if (response.status === 204) return undefined;
  const body = await response.json();
  if (response.ok) return body;
  const faults = (body.errors ?? []).map(
    ({ pointer, expected }) => `${pointer.slice(1)}${expected ? `: ${expected}` : ''}`,
  );
  throw new Error([body.detail ?? body.title, ...faults].join(' '));
}
