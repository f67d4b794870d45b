-- Most users have one device on a channel: their delivery is claimed, armed and settled itself, as on other channels, and
-- this is the device that it goes to since it was first claimed. Null before, where the user had none, in a test send, where
-- it has several (those have rows in delivery_addresses), and when the user was deleted since.
alter table deliveries add column device_id text collate "C";
