import { runService } from '@tidings/platform';
import { dashboardConfig } from './config.ts';
import { startDashboard } from './service.ts';

await runService({ name: 'dashboard', config: dashboardConfig, start: startDashboard });
