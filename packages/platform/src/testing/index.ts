export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { openRawConnection, type RawAnswer } from './raw-connection.ts';
