import { campaignsCanceled } from './cancels.ts';
import { clocksWrong } from './clocks.ts';
import { pushesCopied } from './copies.ts';
import type { DeliveryRow } from './delivery-row.ts';
import { mailServerDies, smsProviderDies } from './dying-providers.ts';
import { largeCampaignKilled } from './killed-campaign.ts';
import { campaignsKilled, workersKilled } from './kills.ts';
import { largeCampaignSent } from './large-campaign.ts';
import { baselineWorkerKilled } from './baseline.ts';
import { postgresAway, redisAway } from './outages.ts';
import { workersComeAndGo, workersStopped } from './pauses.ts';
import { poisonousTemplates } from './poisonous-templates.ts';
import { postgresClockWrong } from './postgres-clock.ts';
import { providersDisturbed } from './providers.ts';
import { startedWhileKafkaIsSilent } from './silent-starts.ts';
import { slowHooks, slowMails } from './slow-receivers.ts';
import { workersStarved } from './starvation.ts';

/** Delivery rows, in table order. */
export const DELIVERY_ROWS: readonly DeliveryRow[] = [
  campaignsKilled,
  workersKilled,
  baselineWorkerKilled,
  postgresAway,
  redisAway,
  providersDisturbed,
  clocksWrong,
  workersComeAndGo,
  workersStopped,
  campaignsCanceled,
  pushesCopied,
  workersStarved,
  largeCampaignSent,
  slowHooks,
  slowMails,
  startedWhileKafkaIsSilent,
  postgresClockWrong,
  largeCampaignKilled,
  poisonousTemplates,
  smsProviderDies,
  mailServerDies,
];
