import { runService } from '@tidings/platform';
import { gatewayConfig } from './config.ts';
import { startGateway } from './service.ts';

await runService({ name: 'gateway', config: gatewayConfig, start: startGateway });
