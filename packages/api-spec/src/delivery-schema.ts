import { ACCOUNT_REASONS, type AccountReason } from '@tidings/contracts/channels/accounts';
import {
  DELIVERY_REASONS,
  DELIVERY_STATES,
  type DeliveryReason,
} from '@tidings/contracts/push/deliveries';
import { Type } from 'typebox';
import { NullableBounce } from './bounce-schema.ts';
import { RecipientTemplate } from './endpoints/campaign-templates.ts';
import { personFields, type Person } from './person-schema.ts';
import {
  Count,
  CustomUserId,
  DeviceReference,
  Instant,
  NullableInstant,
  NullableString,
  Uuid,
  oneOf,
} from './schemas.ts';

const Address = Type.Object(
  {
    addressNo: Count,
    deviceRef: Type.Unsafe<string | null>({ ...DeviceReference, type: ['string', 'null'] }),
    status: oneOf(DELIVERY_STATES),
    reason: Type.Unsafe<DeliveryReason | null>({ enum: [...DELIVERY_REASONS, null] }),
    providerCode: NullableString,
    providerMessage: NullableString,
    attempts: Count,
    sentAt: NullableInstant,
    updatedAt: Instant,
  },
  { title: 'Address' },
);

/** The outcome for one recipient of a campaign. */
const Delivery = Type.Object(
  {
    deliveryId: Uuid,
    customUserId: CustomUserId,
    serviceUserId: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
    status: oneOf(DELIVERY_STATES),
    reason: Type.Unsafe<DeliveryReason | null>({ enum: [...DELIVERY_REASONS, null] }),
    providerCode: NullableString,
    providerMessage: NullableString,
    bounce: NullableBounce,
    account: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The account of the last attempt; null while the channel has one.',
    }),
    accountReason: Type.Unsafe<AccountReason | null>({ enum: [...ACCOUNT_REASONS, null] }),
    attempts: Count,
    createdAt: Instant,
    sentAt: NullableInstant,
    deliveredAt: NullableInstant,
    displayedAt: NullableInstant,
    openedAt: NullableInstant,
    clickedAt: NullableInstant,
    updatedAt: Instant,
    template: RecipientTemplate,
    addresses: Type.Optional(
      Type.Array(Address, {
        description:
          'Push channels only: the outcome for each device. The delivery has the best of them.',
      }),
    ),
  },
  { title: 'Delivery' },
);

/** A delivery, and what people recognise its recipient by. */
export const ListedDelivery = Type.Object(
  {
    ...Delivery.properties,
    person: Type.Unsafe<Omit<Person, 'customUserId'> | null>({
      ...Type.Object(personFields),
      type: ['object', 'null'],
      description: 'Of its recipient now; null of one who is not registered.',
    }),
  },
  { title: 'ListedDelivery' },
);
