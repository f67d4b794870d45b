export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { inTrace } from './in-trace.ts';
export { openRawConnection, type RawAnswer } from './raw-connection.ts';
