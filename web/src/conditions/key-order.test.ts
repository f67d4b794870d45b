import { expect, test } from '@jest/globals';
import { inWrittenOrder } from './key-order.ts';

/** As Postgres gives it back: shorter keys first, then by their letters. */
const fromPostgres = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(fromPostgres);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
      .map(([key, each]) => [key, fromPostgres(each)]),
  );
};

/** As the reference shows one. */
const AUTOMATION =
  '{"version":1,"name":"Abandoned cart","purpose":"marketing",' +
  '"trigger":{"event":{"kind":"action","name":"cart"},"where":[{"attribute":"price","gt":20}],"maxAge":"1h"},' +
  '"filter":{"reachable":"EMAIL","purpose":"marketing"},"entry":{"again":"after","after":"3d"},' +
  '"exit":[{"event":"order","as":"goal"},{"segment":"vip","when":"leaves"}],' +
  '"throttle":{"sends":1000,"per":"1m"},"nodes":[{"id":"hour","delay":"1h"},' +
  '{"id":"mail1","send":{"channel":"EMAIL","template":"cart-1","quietHours":"wait"}},' +
  '{"id":"clicked","waitFor":{"message":{"node":"mail1"},"was":"clicked"},"timeout":"1d",' +
  '"then":[{"id":"end","exit":true}],"else":[{"id":"nudge","send":{"try":[' +
  '{"channel":"WEB_PUSH","message":{"title":"T","body":"B","url":"https://shop.example"}},' +
  '{"channel":"SMS","template":"sms"}]}}]},' +
  '{"id":"ab","split":[{"weight":50,"nodes":[]},{"weight":50,"nodes":[]}],' +
  '"winner":{"by":"clicked","after":"3d","minimum":200}}]}';

test.each([
  AUTOMATION,
  '{"field":"country","is":"DE"}',
  '{"all":[{"event":"cart","where":[{"attribute":"price","gt":20}],"count":{"gte":1},"within":"7d"}]}',
  '{"reachable":"EMAIL","purpose":"marketing"}',
  '{"message":{"channel":"EMAIL","purpose":"marketing","tag":"sale"},"was":"sent","within":"7d"}',
  '{"funnel":"buying","state":"dropped","step":2,"within":"30d"}',
  '{"date":{"attribute":"expiresOn"},"offset":"-3d","at":"09:00","yearly":true}',
  '{"schedule":{"cron":"0 9 * * 1","timeZone":"Europe/Berlin"},"segment":"vip"}',
  '{"id":"u","until":{"time":"09:00","days":["mon"],"zone":"user"}}',
  '{"id":"u","until":{"attribute":"expiresOn","offset":"-3d","time":"09:00"}}',
])('keys have the order of the reference again: %s', (text) => {
  expect(JSON.stringify(inWrittenOrder(fromPostgres(JSON.parse(text))))).toBe(text);
});

test('what another system reads keeps its order, and unknown keys stay behind', () => {
  const text =
    '{"title":"T","body":{"nodes":1,"id":2},"unknown":{"is":1},"customContent":{"exit":1,"a":2}}';

  expect(JSON.stringify(inWrittenOrder(JSON.parse(text)))).toBe(text);
});
