import { runServices } from '@tidings/platform';
import { allServices } from './service.ts';

await runServices(allServices);
