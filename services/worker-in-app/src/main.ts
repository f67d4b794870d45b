import { runOfferingWorker } from '@tidings/channel-worker';

await runOfferingWorker('IN_APP');
