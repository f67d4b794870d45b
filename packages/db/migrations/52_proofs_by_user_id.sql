set local lock_timeout = '5s';
-- The device's user_id when it gave its proof: proved_user_id counts only while both are the same. A version that knows
-- no proofs changes user_id alone, at a log-out or for another person, and so ends the proof.
alter table devices add column user_id_at_proof uuid;
