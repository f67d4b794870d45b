import express from 'express';
import { createTidings } from './tidings.mjs';

const { TIDINGS_URL, TIDINGS_APPLICATION_ID, TIDINGS_SERVER_KEY, PORT = '3000' } = process.env;
if (!TIDINGS_URL || !TIDINGS_APPLICATION_ID || !TIDINGS_SERVER_KEY) {
  console.error(
    'Set TIDINGS_URL, TIDINGS_APPLICATION_ID and TIDINGS_SERVER_KEY, see ../README.md.',
  );
  process.exit(1);
}

const PRODUCTS = {
  tea: { name: 'Tea', price: 4.5 },
  pot: { name: 'Teapot', price: 32 },
};
const tidings = createTidings({
  url: TIDINGS_URL,
  applicationId: TIDINGS_APPLICATION_ID,
  serverKey: TIDINGS_SERVER_KEY,
});

const app = express();
app.use(express.json());

app.post('/customers', (req, res) => {
  const { id, email, firstName } = req.body;
  tidings.track(id, { type: 'user', id: `customer-${id}`, email, firstName });
  res.status(201).json({ id });
});

app.get('/products/:slug', (req, res) => {
  const { slug } = req.params;
  if (!Object.hasOwn(PRODUCTS, slug)) return res.status(404).json({ error: 'no such product' });
  const { customer } = req.query;
  if (typeof customer === 'string') {
    tidings.track(customer, {
      type: 'action',
      id: `view-${customer}-${slug}-${Date.now()}`,
      customName: 'product_viewed',
      attributes: { product: slug, price: PRODUCTS[slug].price },
    });
  }
  return res.json(PRODUCTS[slug]);
});

app.post('/orders', async (req, res) => {
  const { id, customer, product } = req.body;
  if (!Object.hasOwn(PRODUCTS, product)) return res.status(404).json({ error: 'no such product' });
  const { name, price } = PRODUCTS[product];
  tidings.track(customer, {
    type: 'revenue',
    id: `order-${id}`,
    customName: 'order_paid',
    revenue: price,
    currency: 'EUR',
    attributes: { product },
  });
  // The customer must be known before a message goes to them.
  await tidings.flush();
  const { campaignId } = await tidings.push(
    {
      recipients: [customer],
      channel: 'EMAIL',
      purpose: 'transactional',
      personalize: true,
      message: {
        title: `Your order ${id}`,
        body: `<p>Thank you, {{ user.firstName | default: 'dear customer' }}: ${name} is on its way.</p>`,
      },
    },
    `order-${id}`,
  );
  return res.status(201).json({ id, campaignId });
});

const server = app.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`The shop is at http://127.0.0.1:${server.address().port}`),
);

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => server.close(() => void tidings.close()));
