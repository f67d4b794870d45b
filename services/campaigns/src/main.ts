import { runService } from '@tidings/platform';
import { campaignsConfig } from './config.ts';
import { startCampaigns } from './service.ts';

await runService({ name: 'campaigns', config: campaignsConfig, start: startCampaigns });
