import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { compileMessage, type CompiledMessage } from '../compile-message.ts';
import { RenderFault } from '../engine/render-fault.ts';
import type { TemplateContext } from '../template-context.ts';
import { userScope, type TemplateUser } from '../user-scope.ts';

export const ADA: TemplateUser = {
  customUserId: 'ada',
  registeredAt: 1_700_000_000_000,
  fields: { firstName: 'Ada', lastName: '', city: 'Ulm', birthday: 86_400_000n },
  customAttributes: {
    plan: 'pro',
    visits: 3,
    site: 'https://ada.example/a b?x=1&y="2"',
    cart: { items: [{ name: 'pen' }, { name: 'ink' }], empty: [], none: null },
    'first name': 'A.',
    empty: '',
  },
};

/** Of a run that an event began. */
export const CONTEXT = {
  event: {
    name: 'cart',
    time: Date.UTC(2026, 4, 3, 12, 30, 15, 250),
    attributes: {
      price: 19.99,
      items: [{ name: 'pen' }, { name: 'ink' }],
      'in stock': true,
      big: 9_007_199_254_740_993n,
      empty: '',
    },
    revenue: 24.99,
    currency: 'EUR',
  },
  run: { id: 'r1', enteredAt: Date.UTC(2026, 4, 3, 12, 30, 16) },
} satisfies TemplateContext;

export const withAttributes = (
  customAttributes: Readonly<Record<string, unknown>>,
): TemplateUser => ({
  ...ADA,
  customAttributes: { ...ADA.customAttributes, ...customAttributes },
});

export function compiled(channel: Channel, message: object): CompiledMessage {
  const result = compileMessage({ channel, message: message as PushMessage, pointer: '/message' });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.compiled;
}

/** The rendered message, or the code and detail of the fault. */
export function tryRender(
  { render }: Pick<CompiledMessage, 'render'>,
  user: TemplateUser = ADA,
): PushMessage | string {
  try {
    return render(userScope(user, 'c1'));
  } catch (error) {
    if (error instanceof RenderFault) return error.message;
    throw error;
  }
}

/** The body of a text message. */
export function renderText(body: string, user: TemplateUser = ADA): unknown {
  const rendered = tryRender(compiled('SMS', { body }), user);
  return typeof rendered === 'string' ? rendered : rendered.body;
}
