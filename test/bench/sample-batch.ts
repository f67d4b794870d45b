/** A body as a shop's back end sends it: actions with a few attributes of every type. */
export function sampleBatch(messages: number): string {
  return JSON.stringify({
    customUserId: 'customer-4711',
    messages: Array.from({ length: messages }, (_, index) => ({
      type: 'action',
      id: `0f8fad5b-d9cb-469f-a165-70867728${String(index).padStart(4, '0')}`,
      time: 1_760_000_000_000 + index,
      customName: 'product_viewed',
      attributes: {
        sku: `SKU-${index}`,
        price: 19.99,
        quantity: 2,
        inStock: true,
        category: { id: 7, path: ['home', 'kitchen', 'knives'] },
        seenAt: '2026-01-15T09:30:00.000Z',
      },
    })),
  });
}
