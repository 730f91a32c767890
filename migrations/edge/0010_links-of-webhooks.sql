ALTER TABLE `links` ADD `purpose` text DEFAULT 'device' NOT NULL;
--> statement-breakpoint
DROP TRIGGER `links_end_when_linked`;
--> statement-breakpoint
-- A link to the webhooks of an instance goes on when a device is linked.
CREATE TRIGGER `links_end_when_linked` AFTER UPDATE OF `jid` ON `instances` WHEN new.`jid` <> '' AND old.`jid` = '' BEGIN UPDATE `links` SET `used_at` = unixepoch() * 1000 WHERE `instance_id` = new.`id` AND `used_at` = 0 AND `purpose` = 'device'; END;
