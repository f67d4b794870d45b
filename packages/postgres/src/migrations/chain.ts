/**
 * Checksums of the migrations of earlier releases, by number, as their runner stored them. The
 * baseline replaces all of them.
 */
export const CHAIN: readonly string[] = [
  'e18db593bcde2aca2a408c4d1100f6abba2195df', // 0_create-migrations-table
  '552f63c4f19e08d5a478f46f46d4891571d7eca8', // 1_initial
  '75568381357f3c74696de4b38d9e0b20755fa366', // 2_ingest
  '895cede37f77441b5d067c401a90d56dd62ac19d', // 3_reading
  'a28567d43b62ce3baab8320b8457138ce92a7cc0', // 4_push
  '29d7975249b4b806bc327a91be309dc05d5eb81d', // 5_webhooks
  '88a9ce116c9827f7af70ddbe6e7f970156b2ba9d', // 6_sms
  '1540a4700ab1361abd19019bab6250b7664d011e', // 7_control
  '9fa66942a1a9e08ffa2a5d388a0f540c30b78b3c', // 8_policies
  '1397d2638d94ac28c9c4c285c0af0be75bece0e3', // 9_breakers
  '6088a19cc57eecbeea6fc83e7844223c68423b45', // 10_lanes
  '92193c27ed1315edc36ace33743b4dac77d619ef', // 11_delivery_updates
  'e919a30e76b1be3df7e34dcf7051ffcf3f01ae67', // 12_devices
  '3dc813cf08f569d2b12247edbec727474b3a1c94', // 13_client_side
  '430a856b03375ab926572161bc2eb2f9b1319743', // 14_later_outcomes
  '60d321f1033b248d8988933651a0a71e4167ec8c', // 15_link_visits
  'b9391b8ca00a39fd5b76bdc92fd2a95a9c3071f2', // 16_delivery_addresses
  'a1c3b90ee007051c2a25e1211cbec0b85687f1b0', // 17_inbox
  'c8261ac0465b2dae1fc5fdbbf8243d4992036c20', // 18_room_for_updates
  '0b0f608ce9ad1b0abe6520a85846723d89fb3638', // 19_traceparent
  'c7d56246b8d7ece44e85e575276a0ee0d7f7beef', // 20_inbox_order
  'bc1bb3099eb682f973509871e1cae64a60c00894', // 21_campaign_retention
  'b2cb380c7294e5e8120e2d3cd09b0bfcbcdef6b8', // 22_event_channels
  '87ea0c4320d177ed68f01b34bfe816105eb57a6c', // 23_members
  'f8d71d6850dd289c2a48b36ad28294ccd026326a', // 24_audit_log
  'ad60fcdc3687085edee42b6e9800ee20fce29283', // 25_read_model
  '84128d2c0164d29027a79f83073dd5e90d44bfc0', // 26_deliveries_by_user
  '9189650ab868edae64464a357824af78fd241151', // 27_provider_ids
  '5790a6563b1ce8652b81c4c6bfc00fef8ca45fa0', // 28_one_device
  '8eee4bb0f5cf088ae0a54081f3db676061362e6c', // 29_guesses_and_retention
  'ecb51bf065b57ca5dfbae353f300193d8917f74c', // 30_refused_users
  'f0a36a321c75adf5a9f899c33bd147f634f32816', // 31_refused_requests_by_user
  '001cc1a4403a9d00d38270c5f903ebe6ca34e82d', // 32_refused_requests_by_service_user
  'fc598ec32e571cf5611e82859832eb0cd92c1c08', // 33_analyze_less_often
  'b48b8ea18f27b8e688df08b6e7cee06e4dc27e0c', // 34_webhook_attempts
  '2fa5cafa1afdbbc136ee64494bf761c50bd05188', // 35_event_quarters
  'f607b53a2aeaf07e2dbf6d7d72675a1e8c22d2e1', // 36_event_recounts
  '8c65cda5785cdcb122812db6a2853908766be904', // 37_proved_users
  '2d64181e7425cdbd81dc1a1f8d22d14e09439f9b', // 38_devices_by_proved_user
  '2917cbb5880d390b49808171362caebf23e3a397', // 39_definition_budgets
  '0c0c270d97428aaa20a93d523ee6e6d18879a317', // 40_message_origins
  'dcf7f8fde63ea7232df03c5b0dc6b1811929a54a', // 41_message_keys_by_origin
  '136be13b326b3d32518cda295d42e6dab0f64477', // 42_message_keys_of_clients
  'ef3ce92d1456b260608adcc35d0eda78836db477', // 43_message_keys_key
  '9404f4d005b27ada38cc6d0c927cc63944297685', // 44_written_at
  '6411d60d30b41b9efb2dfd347f5a4bf126e5e6bf', // 45_chunks_by_writing_time
  '31a74f497ed9c69de9973eeec05d659b59330c4c', // 46_webhooks_by_writing_time
  '60e20954df3790d0bdc23224f4aab282658bf010', // 47_deliveries_in_chunks
  '61ed441e61b5ee1351461fa5461098ae0a414bd5', // 48_drop_deliveries_by_chunk
  '1b6b36be1658d62896df225e288ac90c98fd4415', // 49_drop_deliveries_by_campaign
  'd0525aa90a6b62b2fd2a0c88dff93b193867c5f4', // 50_recount_arrivals
  '108cbfcc3f1a59619f4de275bb5303da1c4eb3a0', // 51_joined_by_client_keys
  '835e673951102dd46d843397a87479eebab6dcd6', // 52_proofs_by_user_id
  '7446fc0d8e44958f2ddfafc65b023c2ade5ebe21', // 53_baseline
  '43801b118d069176dd27dfc8e4d7d06a5d73ec05', // 54_duplicate_keys
  '0f4edba982b5871a8b7ee2a2b4d55204e7544c60', // 55_campaign_events_response
  'fd1d23c0c2635a9a23d2795249971474622c27c8', // 56_derived_receipts
  '6c2437063c7e34d2cf30e0554e914ba42d074d1a', // 57_partitioned_log
  '32b4b07f1e1e273737f80a190a84dbbf1873d9c9', // 58_events_by_definition
  'e3078fe36ebe9c23343b649c27fec69c2d25c488', // 59_events_by_user_and_definition
  'e61e94720f782a752c8c568c83ce0e08b7843eb9', // 60_segments
  '8de3cb5f1d720d53523a0931bb768e962bded18e', // 61_campaign_audiences
  'd056fbf487df0be08414bc1e34990b2c93c50c3c', // 62_scheduled_campaigns
  'd4c3f78e93dc598ce39e3e05b44c86eb90581af3', // 63_templates
  'e4bf7b6129ded00a0b1ccfcd2b70a6ec58f83d70', // 64_local_times
  'dc037508df5897aacfe901931b95e31e9f508274', // 65_rechecked_chunks
  'd068d095f0813b51651e1bca6c6db954808adc3c', // 66_campaigns_begun
  '45f59832ddb0e02c59c1973ccdc2e4e5c0894aa3', // 67_unlogged_members
  'd5a8040c666b7e162fbbb3f8a900e4c48c7e296c', // 68_rendering_notes
  '5457c74fee726068510e681c281139abe40ea74d', // 69_snapshot_tries
  'ae03c4c4a23f491b0a405d248b3c36dab1fe5cc1', // 70_slow_campaigns
  '86e564542ffff152d1993d8069059f23261721a9', // 71_delivery_data
  'e1bcc2df7cc18ed104a25f3ff2aa1f86c4c24176', // 72_bounces
  '528ddc4dca4592373bdc43f1bd28154a08f4f5aa', // 73_mailbox_keys
  '621cbd72bd203da55b8c5f1f719385100f58c1f4', // 74_users_by_mailbox
  'f3a074ff16b90d8de0dcfceb0ecf96bce273e085', // 75_users_without_mailbox_key
  '0029bef5d41b0e5d2eb07588e29004733c559a52', // 76_suppressions_by_mailbox
];

/**
 * A baseline replaced the chain before it once already: the list of a database that was made since
 * then begins here.
 */
export const EARLIER_BASELINE = 53;

/** The checkouts that migrate an older database to the end of the chain, in their order. */
export function wayToEndOfChain(newest: number): string {
  const last = 'commit 90210e9';
  return newest < EARLIER_BASELINE - 1 ? `commit da79209, then with that at ${last}` : last;
}
