insert into campaign_events (campaign_id, type, reason, detail)
values ($1, 'campaign.spend_capped', 'spend_cap', $2)
on conflict (campaign_id, detail)
where type = 'campaign.spend_capped' do nothing
