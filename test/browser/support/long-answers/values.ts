import { LIMITS } from '@tidings/contracts/limits';

// Values as long as the API accepts. None contains a line-break opportunity.

export const AT = 1_795_256_516_534;
export const many = (text: string, charsMax: number): string =>
  text.repeat(Math.ceil(charsMax / text.length)).slice(0, charsMax);
export const uuid = (index: number): string =>
  `01a1fda0-84a5-72c8-802b-${index.toString(16).padStart(12, '0')}`;

export const LONG = {
  id: uuid(0),
  refusedId: uuid(0xf_000),
  scheduledId: uuid(0xe_000),
  slug: 'qwert',
  segmentSlug: many('loyal-customers-of-the-shop-', 64).replace(/-$/, 's'),
  automationSlug: many('abandoned-cart-of-the-shop-', 64).replace(/-$/, 's'),
  templateSlug: many('welcome-to-the-shop-', 64).replace(/-$/, 's'),
  customUserId: many('customer_4711_of_the_shop_in_', LIMITS.customUserIdCharsMax),
  heldUserId: many('user_who_is_not_registered_', LIMITS.customUserIdCharsMax),
  messageId: many('order-2024-11-20-0199a5c0-', LIMITS.messageIdCharsMax),
  customName: many('item_that_was_added_to_the_basket_', LIMITS.customNameCharsMax),
  email: `${many('first.second.third.', 63)}x@${many('mail.of.the.department.', 180)}example`,
  url: many('https://hooks.shop.example/tidings/receiver?token=0123456789abcdef&name=', 2_000),
  words: many('Donaudampfschifffahrtsgesellschaft', 200),
} as const;
const { url, words } = LONG;
export const ACCOUNT_NAMES = ['main-account-of-shop', 'spare-account-for-de'] as const;
export const PROVIDER_MESSAGE = `550-5.1.1 ${words} The email account that you tried to reach does not exist. ${url}`;
export const ATTRIBUTES = {
  article: words,
  [many('a_name_without_end_', 64)]: 9_007_199_254_740_991,
  list: [words, words],
  url,
};

export const list = <T>(...items: readonly T[]) => ({ json: { items, nextCursor: null } });
export const one = <T>(json: T) => ({ json });

export const COUNTS = {
  total: 1_000_000,
  pending: 0,
  waiting: 0,
  sent: 998_000,
  delivered: 997_000,
  displayed: 0,
  opened: 400_000,
  clicked: 120_000,
  successful: 999_990,
  failed: 10,
  unknown: 0,
  expired: 0,
  canceled: 0,
  unsubscribed: 1_234,
  complained: 12,
  machineOpened: 123_456,
  machineClicked: 12_345,
};
