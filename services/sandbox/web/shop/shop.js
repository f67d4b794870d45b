const byId = (id) => document.getElementById(id);
const money = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'EUR' });

function log(text) {
  const item = document.createElement('li');
  item.textContent = `${new Date().toLocaleTimeString()}  ${text}`;
  byId('log').prepend(item);
}
addEventListener('shop-log', ({ detail }) => log(detail));

/** Calls the shop's own back end. */
async function ask(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = await answer.json();
  if (!answer.ok) throw new Error(result.detail);
  return result;
}

async function drawPushState() {
  const state = await tidings.push.state();
  byId('push-state').textContent = `Notifications: ${state}`;
  byId('subscribe').hidden = state === 'subscribed';
  byId('unsubscribe').hidden = state !== 'subscribed';
}

function drawCustomer() {
  const customer = localStorage.getItem('shop-customer');
  byId('customer').readOnly = customer !== null;
  if (customer !== null) byId('customer').value = customer;
  byId('sign-in').querySelector('[type=submit]').hidden = customer !== null;
  byId('sign-out').hidden = customer === null;
  return customer;
}

async function identify(customUserId) {
  const { userToken } = await ask('/shop/sign-in', { customUserId });
  const result = await tidings.identify(userToken);
  log(result.ok ? `identified as ${customUserId}` : `not identified: ${result.reason}`);
  return result.ok;
}

byId('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  const customUserId = byId('customer').value;
  try {
    if (!(await identify(customUserId))) return;
    tidings.setUser({ customAttributes: { signedInAt: new Date(), favourite: 'tea' } });
    localStorage.setItem('shop-customer', customUserId);
  } catch (error) {
    log(error.message);
  }
  drawCustomer();
});

byId('sign-out').addEventListener('click', async () => {
  localStorage.removeItem('shop-customer');
  drawCustomer();
  const result = await tidings.logout();
  log(result.ok ? 'signed out' : `not signed out: ${result.reason}`);
});

byId('subscribe').addEventListener('click', async () => {
  const result = await tidings.push.subscribe();
  log(result.ok ? 'subscribed to notifications' : `not subscribed: ${result.reason}`);
  await drawPushState();
});
byId('unsubscribe').addEventListener('click', async () => {
  await tidings.push.unsubscribe();
  log('unsubscribed');
  await drawPushState();
});

for (const tea of document.querySelectorAll('.tea')) {
  const { name, price } = tea.dataset;
  const item = { name, category: 'tea', price: Number(price) };
  const details = tea.querySelector('details');
  details.querySelector('summary').setAttribute('aria-label', `Look closer: ${name}`);
  details.addEventListener('toggle', () => {
    if (!details.open) return;
    tidings.track('item_viewed', item);
    log(`looked at ${name}`);
  });
  const cart = document.createElement('button');
  cart.textContent = 'Put into the cart';
  cart.setAttribute('aria-label', `Put into the cart: ${name}`);
  cart.addEventListener('click', () => {
    tidings.track('cart_filled', item);
    log(`put ${name} into the cart`);
  });
  const button = document.createElement('button');
  button.textContent = `Buy for ${money.format(price)}`;
  button.setAttribute('aria-label', `Buy for ${money.format(price)}: ${name}`);
  button.addEventListener('click', () => {
    tidings.track('item_bought', { name, price: Number(price), at: new Date() });
    tidings.revenue('order_paid', Number(price), 'EUR');
    log(`bought ${name}`);
  });
  tea.append(button, cart);
}

byId('send').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = Object.fromEntries(new FormData(event.target));
  try {
    const { campaignId } = await ask('/shop/send', {
      ...form,
      customUserId: byId('customer').value,
      duration: form.duration === '' ? null : Number(form.duration),
    });
    log(`sent, campaign ${campaignId}`);
  } catch (error) {
    log(error.message);
  }
});

tidings.track('page_viewed', { path: location.pathname });
const customer = drawCustomer();
if (customer !== null) identify(customer).catch((error) => log(error.message));
void drawPushState();
