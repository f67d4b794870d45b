import { runService } from '@tidings/platform';
import { service } from './service.ts';

await runService(service);
