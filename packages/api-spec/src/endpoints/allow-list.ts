import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { NullableString } from '../schemas.ts';

const ENTRIES_MAX = 1_000;
const ENTRY_CHARS_MAX = 50;

const AllowList = Type.Object(
  {
    entries: Type.Array(Type.String()),
    yourAddress: Type.Unsafe<string | null>({
      ...NullableString,
      description:
        'The address of this request. Keys work from it only if the list is empty or has a matching entry.',
    }),
  },
  { title: 'AllowList' },
);
const ALLOW_LIST_EXAMPLE = {
  entries: ['10.0.0.0/8', '203.0.113.7', '2001:db8::/32'],
  yourAddress: '203.0.113.7',
};

export const readAllowListEndpoint = endpoint({
  name: 'readAllowList',
  method: 'GET',
  path: 'allow-list',
  access: 'application_administrator',
  summary: 'Read the IP allow-list of API keys; empty: any address',
  answer: { status: 200, description: 'The list.', schema: AllowList, example: ALLOW_LIST_EXAMPLE },
});

export const writeAllowListEndpoint = endpoint({
  name: 'writeAllowList',
  method: 'PUT',
  path: 'allow-list',
  access: 'application_administrator',
  summary: 'Replace the IP allow-list',
  description:
    'Takes IPv4 and IPv6 addresses and CIDR networks. Entries are stored normalized, without host bits. An empty list disables the check.',
  body: Type.Object(
    {
      entries: Type.Array(
        Type.String({
          minLength: 1,
          maxLength: ENTRY_CHARS_MAX,
          description: 'an IP address or a network, e.g. 10.0.0.0/8',
        }),
        {
          maxItems: ENTRIES_MAX,
          description: 'a list of addresses and networks',
        },
      ),
    },
    { additionalProperties: false },
  ),
  recorded: ['entries'],
  bodyExample: { entries: ['10.1.2.3/8', '203.0.113.7', '2001:DB8::/32'] },
  answer: {
    status: 200,
    description: 'The normalized list.',
    schema: AllowList,
    example: ALLOW_LIST_EXAMPLE,
  },
});
