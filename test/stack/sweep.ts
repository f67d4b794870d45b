import { sweepTestHomes } from '@tidings/tools/stack/test-home';

await sweepTestHomes();
