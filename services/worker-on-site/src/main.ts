import { runOfferingWorker } from '@tidings/channel-worker';

await runOfferingWorker('ON_SITE');
