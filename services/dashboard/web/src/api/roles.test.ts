import { expect, test } from '@jest/globals';
import { isAllowed, ROUTE_OF, type Permission } from './roles.ts';

// `POST campaigns` is still to come.
const PERMISSIONS = (Object.keys(ROUTE_OF) as Permission[]).filter(
  (permission) => permission !== 'compose',
);

test.each(PERMISSIONS)(
  '%s is of a route that there is: the owner may, a viewer may not',
  (permission) => {
    expect([isAllowed('owner', permission), isAllowed('viewer', permission)]).toEqual([
      true,
      false,
    ]);
  },
);

test('what a marketer is offered is not what a developer is', () => {
  expect(PERMISSIONS.filter((permission) => isAllowed('marketer', permission))).toEqual([
    'controlCampaigns',
    'exportUsers',
    'testChannels',
    'changeSuppressions',
  ]);
  expect(isAllowed('developer', 'controlCampaigns')).toBe(false);
});
