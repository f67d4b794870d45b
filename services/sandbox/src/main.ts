import { runService } from '@tidings/platform';
import { sandboxConfig } from './config.ts';
import { startSandbox } from './service.ts';

await runService({ name: 'sandbox', config: sandboxConfig, start: startSandbox });
