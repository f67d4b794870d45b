import type { IngestRow } from './ingest-row.ts';
import { badNetwork } from './bad-network.ts';
import { brokersLost } from './broker-losses.ts';
import { kafkaFrozen, kafkaStopped } from './kafka-outages.ts';
import { consumersKilled, gatewayKilled } from './kills.ts';
import { answersLost } from './lost-answers.ts';
import { poisonMix } from './poison-mix.ts';
import { postgresAway } from './postgres-outages.ts';
import { rebalanceStorm } from './rebalances.ts';
import { redisAway } from './redis-outages.ts';
import { wholeTopicAgain } from './replays.ts';
import { rollingRestart } from './rolling-restart.ts';
import { startedWhileKafkaIsSilent } from './silent-starts.ts';

/** Ingest rows, in table order. */
export const INGEST_ROWS: readonly IngestRow[] = [
  gatewayKilled,
  consumersKilled,
  kafkaStopped,
  kafkaFrozen,
  brokersLost,
  answersLost,
  postgresAway,
  redisAway,
  badNetwork,
  rollingRestart,
  rebalanceStorm,
  poisonMix,
  wholeTopicAgain,
  startedWhileKafkaIsSilent,
];
